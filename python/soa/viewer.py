"""The page that `soa view` writes, shown in a notebook or a browser."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path

from ._errors import Error


def program() -> str:
    """The program soa: $SOA_PROGRAM, the one beside build/python, or that of the path."""
    beside = Path(__file__).resolve().parents[2] / "soa"
    for found in (os.environ.get("SOA_PROGRAM"), str(beside), shutil.which("soa")):
        if found and os.path.isfile(found) and os.access(found, os.X_OK):
            return found
    raise Error("view: the program soa is not found; run 'make build', or set SOA_PROGRAM to its path")


def page(model, result, path: str) -> None:
    """Writes the page of a model, and of a result if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        file, base = getattr(model, "_source", (None, None))
        if file is None or not os.path.exists(file):  # made here: written; a file is shown with its meshes
            file, base = os.path.join(folder, "model.yaml"), None
            model.save(file)
        arguments = [program(), "view", file] + (["--base", base] if base else [])
        if result is not None:
            result.save(os.path.join(folder, "result.csv"))
            arguments.append(folder)
        done = subprocess.run(arguments + ["-o", path], capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        text = said[0].replace("soa: ", "", 1) if said else "the program soa failed"
        raise Error(f"view: {text}" + ("; build the program anew" if "is not a command" in text else ""))


class Page:
    """A page of the viewer; notebooks show it in a frame."""

    def __init__(self, path: str):
        self.path = path

    def _repr_html_(self):
        text = escape(Path(self.path).read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{text}" width="100%" height="480" style="border: 0"></iframe>'

    def __repr__(self):
        return f"<soa page {self.path}>"


def in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def show(model, result=None, path=None) -> Page:
    keep = os.fspath(path) if path is not None else os.path.join(tempfile.mkdtemp(prefix="soa-view-"), "view.html")
    page(model, result, keep)
    if path is None and not in_notebook():
        import webbrowser
        webbrowser.open(Path(keep).resolve().as_uri())
    return Page(keep)
