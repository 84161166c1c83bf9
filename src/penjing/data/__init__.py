"""Tables: columns in memory or in files, readers, encoding, folds, profiles, example tables."""
