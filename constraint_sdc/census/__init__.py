"""Synthetic census-like microdata: sixteen variables on which every kind of edit rule occurs."""
