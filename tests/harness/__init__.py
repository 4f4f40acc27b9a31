"""Real servers for tests: started on free loopback ports, waited for by condition, always ended."""
