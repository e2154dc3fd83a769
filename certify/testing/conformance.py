def demand(condition, why):
    if not condition: raise AssertionError(why)
Case=Conformance=Degenerate=None
