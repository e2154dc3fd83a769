"""Floats to exact witnesses: grids, PSD factors, dual repair. What floats broke is repaired here, at a price
that is paid in the bound; whether it was repaired is for the kernel to say."""
