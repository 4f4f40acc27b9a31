"""How events leave the process: by Redis, by HTTP, or into memory."""

from ragauge.transport.base import Answer, Transport, TransportError
from ragauge.transport.choose import transport_for

__all__ = ["Answer", "Transport", "TransportError", "transport_for"]
