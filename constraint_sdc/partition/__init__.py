"""Partition of records into groups of at least k similar records: one algorithm per file."""
