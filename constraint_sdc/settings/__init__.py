"""What a user may ask for: roles, recipes, maskers and their parameters."""
