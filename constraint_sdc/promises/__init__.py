"""Promises about people, counted on the original and the written file; nothing here knows how a file was masked."""
