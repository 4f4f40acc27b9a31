"""The commands: one file each, which exposes a click command named ``command`` and is imported when used."""
