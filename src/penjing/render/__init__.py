"""Writers: a tree as text, a picture or code; they see the tree and nothing else."""
