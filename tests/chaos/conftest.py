"""Scenarios are scripts too, so their directory is where they import each other from."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
