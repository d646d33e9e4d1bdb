"""delta-rs, the Rust implementation of Delta, as an engine: no JVM, no second process."""
