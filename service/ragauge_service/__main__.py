"""``python -m ragauge_service``: the command line."""

from ragauge_service.cli import entry

if __name__ == "__main__":
    entry()
