"""The conflict table: documents, model, engine, and the level itself, side by side."""
