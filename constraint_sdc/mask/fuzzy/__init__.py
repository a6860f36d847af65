"""Fuzzy c-means microaggregation: records replaced by centres that are drawn by their memberships."""
