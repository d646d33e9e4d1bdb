"""INSERT INTO: constants, queries, and the values that the table itself generates."""
