"""Encoding of tables larger than memory: any source becomes a coded store on disk."""
