"""Schematron edit rules: loading them, and understanding what each one says."""
