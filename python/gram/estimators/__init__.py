"""Estimators that follow scikit-learn's conventions; their names are in gram.

Importing a module of this room imports scikit-learn, so gram does so only when
the first estimator is used.
"""
