"""CSV and TSV: cells between delimiters, one row per line or more."""
