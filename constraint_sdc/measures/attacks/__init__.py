"""Attacks: what an intruder who knows the method finds out."""
