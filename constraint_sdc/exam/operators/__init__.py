"""The exam that every operator sits: random formulas and groups, and what the operator claims about them."""
