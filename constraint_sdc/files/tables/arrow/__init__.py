"""Parquet and Arrow files: typed columns in batches of rows."""
