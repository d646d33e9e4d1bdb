"""``isodelta replay``: scenarios on a real engine, compared with the model."""
