"""Dialects: how the textbook, C4.5 and J48, C5.0, rpart and scikit-learn decide."""
