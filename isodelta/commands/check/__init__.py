"""``isodelta check``: scenarios in the model, judged and explained."""
