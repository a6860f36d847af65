"""Fuzzy c-means microaggregation: records are replaced by centres that are drawn by membership."""
