"""Engines whose rows stay in a database: DuckDB and PostgreSQL."""
