"""Rules across records that need no tree of the file: sums, counts, extremes and uniqueness, added up by chunks."""
