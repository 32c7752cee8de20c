"""Makes recordings: clusters and tools of each version, scenarios, and the pytest plugin that plays them."""
