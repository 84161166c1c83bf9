"""The engine for tables larger than memory."""
