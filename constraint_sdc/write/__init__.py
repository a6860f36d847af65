"""Write microdata and value domains to files."""
