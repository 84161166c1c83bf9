"""The C4.5 dialect: C4.5 release 8 and J48."""
