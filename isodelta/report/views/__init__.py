"""Parts of the report's page, as the templates take them."""
