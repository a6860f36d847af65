"""Plans, maskings and explanations as text and JSON."""
