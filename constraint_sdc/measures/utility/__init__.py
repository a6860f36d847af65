"""Utility: how much of what analysts compute survives masking."""
