"""Readers of problem data. Everything they return is exact; everything they refuse, they refuse in one line."""
