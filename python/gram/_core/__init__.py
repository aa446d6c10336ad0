"""What the other rooms share: the library's calls, tables, machines, errors.

A module here imports NumPy and modules of this room, nothing else of gram.
"""
