"""How the values of a group become one, with the constraints that each operator keeps: one operator per file."""
