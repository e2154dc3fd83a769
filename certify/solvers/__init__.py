"""Floating-point engines. Each is one small file behind one function; nothing they say is believed."""
