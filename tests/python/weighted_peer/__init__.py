"""Weighted metrics in NumPy, to compare the library with."""
