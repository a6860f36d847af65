"""Files that appear together or not at all; docs/explanation/publication.md explains how."""
