"""A table's definition: columns, properties, protocol and constraints."""
