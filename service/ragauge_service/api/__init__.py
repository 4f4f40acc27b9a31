"""The HTTP surface: ingest, judgments, quality, failures, health and the page."""
