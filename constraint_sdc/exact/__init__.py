"""Exact: from real numbers to texts on the grid that satisfy the rules digit for digit."""
