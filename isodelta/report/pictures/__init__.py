"""The report's pictures, as SVG."""
