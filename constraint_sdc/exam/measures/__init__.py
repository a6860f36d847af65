"""The exam that every measure and attack sits: the same questions on drawn pairs of files."""
