"""Tests of samples, drift and herding; the names are in gram."""
