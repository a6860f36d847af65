"""Risk: how many records an intruder could link or narrow down."""
