"""The theorems, one module each, with the two parts that several of them share."""
