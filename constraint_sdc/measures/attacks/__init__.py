"""Attacks by an intruder who knows the masking method."""
