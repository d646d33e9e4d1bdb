"""The conflict rules as formulas, over z3 terms and over the simulator's footprints."""
