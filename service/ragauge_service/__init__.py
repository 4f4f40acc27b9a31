"""The ragauge service: joins retrievals with ground truth, and says when retrieval got worse."""
