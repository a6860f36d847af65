"""The judge by cases: Saxon judges every different combination of the values that rules read, once."""
