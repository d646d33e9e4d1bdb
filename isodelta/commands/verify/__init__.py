"""The main job: the whole suite, in the model and on a real engine, into one report."""
