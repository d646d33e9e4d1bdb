"""``isodelta compare``: two profiles side by side."""
