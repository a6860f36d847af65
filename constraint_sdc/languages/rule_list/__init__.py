"""Lists of rules in a table: one rule a row, each in a language of its own."""
