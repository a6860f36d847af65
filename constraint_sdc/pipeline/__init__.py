"""The stages in order, one file per command: what happens, as a table of contents."""
