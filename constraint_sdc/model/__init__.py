"""Frozen values that the stages hand to each other; no stage is imported here."""
