"""Values written as YAML."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np


def flow(value: Any) -> str:
    """A value in YAML's flow style; numbers to the last bit."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if value is None:
        return "none"
    return "[" + ", ".join(flow(v) for v in value) + "]"


def lines(section: str, items: list) -> str:
    """A section of a file with one item per line."""
    return "".join([f"{section}:\n"] + [f"  - {flow(item)}\n" for item in items])
