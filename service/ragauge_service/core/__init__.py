"""Pure: no Redis, no HTTP, no clock, no logging."""
