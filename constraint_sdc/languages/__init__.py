"""Rule languages other than Schematron: each is translated to Schematron text, which the loader reads."""
