"""Redis: shards, leases, scripts, and the embedded server."""
