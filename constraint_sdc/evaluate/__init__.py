"""Evaluate expressions over columns of text: exactly XPath's result, bit for bit, or a refusal."""
