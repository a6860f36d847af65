"""The same document with other values in some leaves."""
