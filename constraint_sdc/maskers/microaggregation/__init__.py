"""Microaggregation: records in groups of at least k that share a representative, or variables ranked one by one."""
