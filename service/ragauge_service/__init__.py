"""The ragauge service: joins retrievals with ground truth, and says when retrieval got worse."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("ragauge")
except PackageNotFoundError:  # a checkout that is not installed
    __version__ = "0+unknown"
