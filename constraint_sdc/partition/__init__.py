"""Dividing records into groups of at least k that lie close together: one algorithm per file."""
