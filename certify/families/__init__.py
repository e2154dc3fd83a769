"""One module a problem family: its data, its model, how it is solved and rounded."""
