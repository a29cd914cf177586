"""How good the answers are: golden sets, metrics, comparisons, gates and reports."""
