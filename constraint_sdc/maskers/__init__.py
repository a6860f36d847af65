"""Maskers: from the design of a block to values that satisfy every rule which held."""
