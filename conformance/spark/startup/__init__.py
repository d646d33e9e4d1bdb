"""Starting Delta on Spark: a Java, the JARs, the session and its settings."""
