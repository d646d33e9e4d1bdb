"""The conflict rules as the documents word them, one module each.

They say what the words say, not what any implementation does. Where the words leave a choice, a
module has one rule for each way to read them.
"""
