"""Renderers: a tree as text, diagram, table or web page, computed from the tree alone."""
