"""How a group's values become one, with the constraints that each operator keeps: one operator per file."""
