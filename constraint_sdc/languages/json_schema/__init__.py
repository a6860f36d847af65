"""JSON Schema: what it says about the values of one record."""
