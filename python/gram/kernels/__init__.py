"""Kernels, certificates and functions of a kernel's space; the names are in
gram."""
