"""One scenario run and judged, in the model or on a real engine, and its JSON object."""
