"""The scikit-learn dialect: DecisionTreeClassifier and DecisionTreeRegressor."""
