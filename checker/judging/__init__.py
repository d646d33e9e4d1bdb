"""Three independent deciders over one history type, and the verdict made of them."""
