"""Operators that compute a group's representative, with the constraints that each preserves: one operator per file."""
