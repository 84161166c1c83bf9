"""Worksheets: a table, the nodes of its tree with blanks to fill in, and the solution."""
