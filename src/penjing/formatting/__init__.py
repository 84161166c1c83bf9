"""Formatting: tables as aligned text, as HTML and as data frames."""
