"""Reading over several models: what the pages show, never a change."""
