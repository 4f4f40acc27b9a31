"""How events leave the process: by Redis, by HTTP, or into memory."""

from ragauge.transport.base import Answer, Refused, Transport, TransportError
from ragauge.transport.choose import transport_for

__all__ = ["Answer", "Refused", "Transport", "TransportError", "transport_for"]
