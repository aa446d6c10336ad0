"""Estimators that follow scikit-learn's conventions.

Import them from gram itself, which imports the modules here, and with them
scikit-learn, when an estimator is first used.
"""
