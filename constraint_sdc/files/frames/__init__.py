"""Data frames of pandas, Polars and Arrow: a frame in, an Arrow table between, a frame of the same kind out."""
