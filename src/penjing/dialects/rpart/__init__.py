"""The rpart dialect: R's rpart."""
