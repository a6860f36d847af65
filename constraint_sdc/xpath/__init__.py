"""XPath: from text to expressions that keep the order of operations."""
