"""The theorems, one module each.

``definition`` and ``order`` are not theorems: they have symbols and lemmas that several share.
"""
