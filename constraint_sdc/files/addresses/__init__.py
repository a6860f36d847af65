"""Inputs that are given by an address: fetched once, to a private copy on which everything else works."""
