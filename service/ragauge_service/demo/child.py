"""A command of ragauge that ends when whoever started it ends, however that happens.

Its standard input is a pipe that only the parent holds; when the pipe closes, so does the command. It works
where "die with your parent" has no system call.
"""

import os
import runpy
import signal
import sys
import threading


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    runpy.run_module("ragauge_service", run_name="__main__")
