"""A TCP proxy that cuts connections: within a request, or when it was done but not answered."""

import random
import socket
import threading
from contextlib import suppress
from typing import Final, Self

from harness.process import free_port

HOST: Final = "127.0.0.1"


class Proxy:
    """Passes bytes on to a server; with a chance of ``cut`` per message it cuts the connection there.

    ``cut_requests`` and ``cut_answers`` count what was cut.
    """

    def __init__(self, target: int, *, seed: int = 0) -> None:
        self.port = free_port()
        self.cut = 0.0
        self.cut_requests = 0
        self.cut_answers = 0
        self._target = target
        self._random = random.Random(seed)
        self._listener = socket.create_server((HOST, self.port))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def url(self) -> str:
        return f"redis://{HOST}:{self.port}"

    def close(self) -> None:
        """Close the listener and every connection."""
        self._listener.close()
        with self._lock:
            for end in list(self._open):
                _close(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection((HOST, self._target))
                except OSError:
                    client.close()
                    continue
                with self._lock:
                    self._open |= {client, server}
                for pump in (self._requests, self._answers):
                    threading.Thread(target=pump, args=(client, server), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while chunk := client.recv(65_536):
                if self._chance():
                    self.cut_requests += 1
                    server.sendall(chunk[: len(chunk) // 2])
                    break
                server.sendall(chunk)
        self._end(client, server)

    def _answers(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while chunk := server.recv(65_536):
                if self._chance():
                    self.cut_answers += 1
                    break
                client.sendall(chunk)
        self._end(client, server)

    def _chance(self) -> bool:
        with self._lock:
            return self._random.random() < self.cut

    def _end(self, *ends: socket.socket) -> None:
        with self._lock:
            for end in ends:
                self._open.discard(end)
                _close(end)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
