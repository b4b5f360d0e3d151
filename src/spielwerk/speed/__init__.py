"""How fast games go: one measure for `spielwerk speed` and for the tables in benchmarks/.

`measure` and `aec` know nothing else of spielwerk: the benchmark loads them in the environments of its
peers, too.
"""
