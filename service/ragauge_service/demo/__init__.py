"""A real, small retrieval application that shows what ragauge sees."""
