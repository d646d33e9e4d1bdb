"""A translation of the rules' own Python source into formulas."""
