"""What the other sub-packages share: calls of the C library, tables, fitted
machines, errors.

Modules here import NumPy and each other, and nothing else of gram.
"""
