"""Models built link by link."""
from __future__ import annotations

from typing import Any, Iterable, Mapping

from ._yaml import flow, lines
from .model import Model, loads


class Builder:
    """A model link by link.

        b = soa.Builder("pendulum")
        b.link("bob", joint="hinge", kind="revolute", axis=(0, 1, 0), mass=1.0, com=(0, 0, -1))
        model = b.build()

    What it takes is what native YAML files say (docs/native-format.md): further keywords go into the link as they are.
    """

    def __init__(self, name: str = "model", gravity: Iterable[float] = (0.0, 0.0, -9.81)):
        self._name, self._gravity = name, list(map(float, gravity))
        self._sections: dict[str, list[dict]] = {"links": []}

    def link(self, name: str, parent: str | None = None, *, joint: str | None = None, kind: str = "fixed",
             axis=None, at=None, mass: float = 0.0, com=(0.0, 0.0, 0.0), inertia=(0.0,) * 6, limits=None,
             **more) -> "Builder":
        """Adds a link. inertia: xx xy xz yy yz zz about the centre of mass; at: {"xyz": ..., "rpy": ...} in the parent;
        limits: {"lower": ..., "upper": ..., "velocity": ..., "effort": ...}."""
        about: dict[str, Any] = {"name": joint or f"{name}_joint", "type": kind}
        if axis is not None:
            about["axis"] = axis
        if at is not None:
            about["at"] = at if isinstance(at, Mapping) else {"xyz": at}
        if limits is not None:
            about["limits"] = limits
        item = {"name": name, **({"parent": parent} if parent else {}), "joint": about, "mass": mass, "com": com,
                "inertia": inertia, **more}
        return self._add("links", item)

    def frame(self, name: str, link: str, at=(0.0, 0.0, 0.0)) -> "Builder":
        """Adds a named place on a link, for `at`."""
        return self._add("frames", {"name": name, "link": link, "at": at if isinstance(at, Mapping) else {"xyz": at}})

    def closure(self, name: str, kind: str, a: str, b: str, **more) -> "Builder":
        """Closes a loop between two links; a or b may be "world". kind: "rigid", "revolute", "spherical", ..."""
        return self._add("closures", {"name": name, "kind": kind, "a": a, "b": b, **more})

    def coupling(self, **item) -> "Builder":
        """Makes a joint follow another."""
        return self._add("couplings", item)

    def _add(self, section, item):
        self._sections.setdefault(section, []).append(item)
        return self

    def text(self) -> str:
        """The model as a native file."""
        head = f"soa: 1\nname: {flow(self._name)}\ngravity: {flow(self._gravity)}\n"
        return head + "".join(lines(section, items) for section, items in self._sections.items())

    def build(self) -> Model:
        """The model; what is wrong raises soa.Error."""
        if not self._sections["links"]:
            raise ValueError("a model needs a link; call link() first")
        return loads(self.text())
