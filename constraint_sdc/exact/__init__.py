"""The exact step: from real numbers to texts on the grid that satisfy the rules exactly."""
