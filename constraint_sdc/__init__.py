"""Mask microdata without breaking its edit rules."""

__version__ = "0.1.0"
