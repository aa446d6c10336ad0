"""Two-sample tests, tests of independence, drift and herding.

Import them from gram itself.
"""
