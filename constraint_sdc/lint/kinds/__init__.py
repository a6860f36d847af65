"""One file per kind of finding: what is wrong, how it is found, and how severe it is."""
