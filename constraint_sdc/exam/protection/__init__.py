"""Attack the promises about people: random files and recipes, masked, and recounted on the written bytes."""
