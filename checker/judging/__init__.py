"""Three independent deciders over one history type, and the verdict combined from them."""
