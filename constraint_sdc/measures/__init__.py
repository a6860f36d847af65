"""Measures of a masked file: utility, disclosure risk, and attacks."""
