"""How all tests run: properties without wall-clock limits, since a busy machine is not a bug."""

from hypothesis import HealthCheck, settings

settings.register_profile("ragauge", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ragauge")
