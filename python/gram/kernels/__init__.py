"""Kernels, their certificates, and functions in the space of a kernel.

Import them from gram itself.
"""
