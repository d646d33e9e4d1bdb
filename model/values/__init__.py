"""SQL values: types, casts, texts, and arithmetic."""
