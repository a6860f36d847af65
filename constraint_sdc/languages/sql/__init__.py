"""SQL: CHECK constraints of tables, and boolean expressions, in three-valued logic."""
