"""Retrievals seen without a decorator: by callbacks, tracers, span processors and middleware."""
