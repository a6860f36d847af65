"""A Schematron schema as one XSLT 3.0 stylesheet."""
