"""Mask: partition the strata of every block, compute the representatives, make them exact."""
