"""Loading Schematron: from files with includes, abstracts and phases to one flat schema."""
