"""Flat rows of an XML file as a stream of columns."""
