"""ragauge: rolling rank metrics of a production retriever, per query category."""
