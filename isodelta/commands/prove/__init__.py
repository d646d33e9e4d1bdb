"""``isodelta prove``: the theorems, each lemma checked."""
