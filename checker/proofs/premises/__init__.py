"""The premises of the lemmas: their grounds, and checks of them in runs of the model."""
