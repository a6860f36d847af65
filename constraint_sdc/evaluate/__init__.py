"""Expressions over columns of text: what XPath says, bit for bit, or "not mine"."""
