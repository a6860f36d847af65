"""Utility: how much masking changes the results of analyses."""
