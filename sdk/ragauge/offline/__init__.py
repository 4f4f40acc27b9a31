"""The offline engine: files in, an evaluation, a comparison or a gate's verdict out."""
