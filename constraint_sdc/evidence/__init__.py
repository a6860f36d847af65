"""What a column looks like: a measurement, a code, an identifier, and how certain that is."""
