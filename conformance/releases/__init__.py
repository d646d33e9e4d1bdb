"""Other releases of the engines, each with its own packages and in a process of its own."""
