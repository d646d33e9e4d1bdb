"""The parts of the report's page, as data for the templates."""
