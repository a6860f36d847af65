"""Judging data: Saxon as the judge, the vectorised engine beside it."""
