"""Certificates: written, verified, and their inputs found again."""
