"""Plain arithmetic text: one rule a line, as papers and questionnaires write them."""
