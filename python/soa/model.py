"""Models: loaded, built, described."""
from __future__ import annotations

import os
from typing import Any, Iterable, Mapping

import numpy as np

from . import _soa


class _Grasps:
    """What closures at one link do together."""

    def grasp_split(self, link: str, q, multipliers):
        """(motion, internal, wrench): the part of the multipliers that moves the link, the squeeze, the resultant."""
        return self._grasp("split", link, q, multipliers)

    def grasp_balance(self, link: str, q, wrench) -> np.ndarray:
        """Multipliers of least norm that give the link the wrench (moment, force; world axes, at its origin)."""
        return self._grasp("balance", link, q, wrench)

    def force_closure(self, link: str, q) -> tuple[bool, np.ndarray]:
        """Whether internal forces can hold the link against every wrench, and such a squeeze."""
        return self._grasp("closure", link, q)


class Closures(_Grasps, _soa.Closures):
    """The closures and couplings of a model. One thread at a time may use a set."""


class System(_Grasps, _soa.System):
    """The system that a model describes: couplings, closures and joint forces act. For one thread at a time."""


class Model(_soa.Model):
    """A robot. Its functions are those of the C library: see inverse_dynamics, forward_dynamics, jacobian, ...

    They compute the tree of links and joints alone. Where a model has couplings (mimic joints) or closures (loops),
    system() gives the functions of what the mechanism really does, and closures() the loops themselves.
    """

    def __init__(self, *args):
        super().__init__()
        self._about = self._sizes()

    nq = property(lambda self: self._about["nq"], doc="Coordinates in q.")
    nv = property(lambda self: self._about["nv"], doc="Velocities in v.")
    bodies = property(lambda self: self._about["bodies"], doc="Bodies that move.")
    name = property(lambda self: self._about["name"])
    mass = property(lambda self: self._about["mass"], doc="kg, of all links.")
    gravity = property(lambda self: np.array(self._about["gravity"]), doc="m/s^2, world axes.")

    @property
    def links(self) -> list[dict[str, Any]]:
        """Every link with its joint: name, parent, joint, kind, where its numbers are in q and v, limits, inertia."""
        return [self._link(i) for i in range(self._about["links"])]

    @property
    def joints(self) -> list[str]:
        """Names of the joints that move, in the order of q and v."""
        moving = sorted((link for link in self.links if link["nv"]), key=lambda link: link["v"])
        return [link["joint"] or link["name"] for link in moving]

    @property
    def frames(self) -> list[str]:
        return self._names("frames")

    @property
    def warnings(self) -> list[str]:
        """What the reader of the file remarked."""
        return self._names("warnings")

    @property
    def configurations(self) -> dict[str, tuple]:
        """Named configurations of the file: {name: (q, v or None)}."""
        return self._configurations()

    @property
    def parameters(self) -> np.ndarray:
        """Ten inertial parameters per link (links, 10): mass, first moments, second moments about the origin."""
        return self._parameters().reshape(-1, 10)

    def neutral(self) -> np.ndarray:
        """The q in which every link stands as placed."""
        return self._neutral()

    def random(self, states: int | None = None, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Random q inside the limits and v within 1, the same on every machine; states: how many (None: one)."""
        q, v = self._random(1 if states is None else states, seed)
        return (q, v) if states is None else (q.reshape(states, self.nq), v.reshape(states, self.nv))

    def integrate(self, q, v, dt: float = 1.0) -> np.ndarray:
        """q moved along v for time dt, with v constant in the links' frames."""
        return self._integrate(q, np.multiply(v, float(dt)))

    def q(self, values: Mapping[str, Any] | None = None, base=None) -> np.ndarray:
        """q with joints by name: arm.q({"elbow": 0.3}); the others as in base (None: neutral)."""
        return self._fill(values, self.neutral() if base is None else np.array(base, float), "q", 0)

    def v(self, values: Mapping[str, Any] | None = None, base=None) -> np.ndarray:
        """v (or vdot, or T) with joints by name; the others as in base (None: zero)."""
        return self._fill(values, np.zeros(self.nv) if base is None else np.array(base, float), "v", 2)

    def _fill(self, values, out, what, at):
        for name, value in (values or {}).items():
            place = self._joint(name)
            first, count = place[at], place[at + 1]
            value = np.atleast_1d(np.asarray(value, float))
            if value.shape != (count,):
                raise ValueError(f"{what} of joint '{name}' has {count} numbers, {value.size} were given")
            out[first:first + count] = value
        return out

    def named(self, numbers) -> dict[str, Any]:
        """Numbers of q or v by joint."""
        numbers = np.asarray(numbers)
        if numbers.shape not in ((self.nq,), (self.nv,)):
            raise ValueError(f"expected {self.nq} or {self.nv} numbers")
        at = "v" if numbers.shape == (self.nv,) else "q"
        out = {}
        for link in self.links:
            if link["nv"]:
                part = numbers[link[at]:link[at] + link["n" + at]]
                out[link["joint"] or link["name"]] = float(part[0]) if len(part) == 1 else part.copy()
        return out

    def closures(self) -> "Closures":
        """The loops and couplings of the model; for one thread at a time."""
        return Closures(self)

    def system(self) -> "System":
        """The system with couplings, closures and joint forces acting; for one thread at a time."""
        return System(self)

    def apply(self, operator: str, q, x, at=None) -> np.ndarray:
        """y = A x for an operator by name ("phi", "psi'", "Mass^-1"), in O(N). Vectors of bodies: six numbers each."""
        return _soa.apply(self, operator, q, x, at)

    def operator(self, operator: str, q, at=None) -> np.ndarray:
        """The matrix of an operator by name, from its definition; for models of up to 128 bodies."""
        rows, columns, numbers = _soa.dense(self, operator, q, at)
        return numbers.reshape(rows, columns)

    def check(self, q=None, at=None) -> list[tuple[str, str, bool, float]]:
        """Every identity of the algebra on this model: (label, text, applies, relative error)."""
        return _soa.identities(self, self.random()[0] if q is None else q, at)

    def free_base(self) -> Model:
        """The same system with its base afloat."""
        return type(self)("free-base", "", self)

    def with_gravity(self, gravity) -> Model:
        """The same system with another gravity, world axes."""
        return type(self)("gravity", "", self, gravity)

    def save(self, path: str | os.PathLike) -> None:
        """Writes .urdf, .xml (MJCF) or .yaml, by the ending."""
        endings = {".urdf": "URDF", ".xml": "MJCF", ".yaml": "YAML", ".yml": "YAML"}
        ending = os.path.splitext(os.fspath(path))[1]
        if ending not in endings:
            raise ValueError(f"save: the ending must be one of {', '.join(endings)}")
        text = self._write(endings[ending])
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def to_yaml(self) -> str:
        """The whole model as text; soa.loads gives it back equal to the last bit."""
        return self._write("YAML")

    def __reduce__(self):
        return (type(self), ("YAML", self.to_yaml()))

    def tree(self) -> str:
        """The tree of links as text."""
        links, children = self.links, {}
        for i, link in enumerate(links):
            children.setdefault(link["parent"], []).append(i)
        lines: list[str] = []
        stack = [(i, 0) for i in reversed(children.get(-1, []))]
        while stack:
            i, depth = stack.pop()
            link = links[i]
            joint = f"{link['kind']} {link['joint'] or ''}".strip()
            lines.append(f"{'  ' * depth}{link['name']}  ({joint}, {link['mass']:g} kg)")
            stack += [(c, depth + 1) for c in reversed(children.get(i, []))]
        return "\n".join(lines)

    def __repr__(self):
        head = f"<soa.Model '{self.name}': {self._about['links']} links, {self.nv} velocities, {self.mass:g} kg"
        more = [f"{self._about[k]} {k}" for k in ("couplings", "closures") if self._about[k]]
        lines = self.tree().splitlines()
        shown = lines if len(lines) <= 24 else lines[:20] + [f"... {len(lines) - 20} links more"]
        return "\n".join([", ".join([head] + more) + ">"] + ["  " + line for line in shown])

    def _repr_html_(self):
        from html import escape
        return f"<pre>{escape(repr(self))}</pre>"


def load(path: str | os.PathLike, base: str | None = None) -> Model:
    """A model from a URDF, MJCF or YAML file; base="free": with its base afloat."""
    if base not in (None, "fixed", "free"):
        raise ValueError("base: expected 'fixed' or 'free'")
    model = Model("load", os.fspath(path))
    return model.free_base() if base == "free" else model


def loads(text: str, format: str = "YAML") -> Model:
    """A model from text: format YAML, URDF or MJCF."""
    if format not in ("YAML", "URDF", "MJCF"):
        raise ValueError("format: expected 'YAML', 'URDF' or 'MJCF'")
    return Model(format, text)


def builtin(name: str) -> Model:
    """One of the built-in models: soa.builtins() lists them; "chain:100", "tree:40,7"."""
    return Model("builtin", name)


def builtins() -> dict[str, str]:
    return _soa.builtins()


class Builder:
    """A model link by link.

        b = soa.Builder("pendulum")
        b.link("bob", joint="hinge", kind="revolute", axis=(0, 1, 0), mass=1.0, com=(0, 0, -1))
        model = b.build()

    What it takes is what native YAML files say (docs/native-format.md): further keywords go into the link as they are.
    """

    def __init__(self, name: str = "model", gravity: Iterable[float] = (0.0, 0.0, -9.81)):
        self._name, self._gravity = name, list(map(float, gravity))
        self._links: list[str] = []
        self._more: dict[str, list[str]] = {}

    def link(self, name: str, parent: str | None = None, *, joint: str | None = None, kind: str = "fixed",
             axis=None, at=None, mass: float = 0.0, com=(0.0, 0.0, 0.0), inertia=(0.0,) * 6, limits=None,
             **more) -> "Builder":
        """Adds a link. inertia: xx xy xz yy yz zz about the centre of mass; at: {"xyz": ..., "rpy": ...} in the parent;
        limits: {"lower": ..., "upper": ..., "velocity": ..., "effort": ...}."""
        about = {"name": joint or f"{name}_joint", "type": kind}
        if axis is not None:
            about["axis"] = axis
        if at is not None:
            about["at"] = at if isinstance(at, Mapping) else {"xyz": at}
        if limits is not None:
            about["limits"] = limits
        item = {"name": name, **({"parent": parent} if parent else {}), "joint": about, "mass": mass, "com": com,
                "inertia": inertia, **more}
        self._links.append(_flow(item))
        return self

    def frame(self, name: str, link: str, at=(0.0, 0.0, 0.0)) -> "Builder":
        return self._add("frames", {"name": name, "link": link, "at": at if isinstance(at, Mapping) else {"xyz": at}})

    def closure(self, name: str, kind: str, a: str, b: str, **more) -> "Builder":
        return self._add("closures", {"name": name, "kind": kind, "a": a, "b": b, **more})

    def coupling(self, **item) -> "Builder":
        return self._add("couplings", item)

    def _add(self, section, item):
        self._more.setdefault(section, []).append(_flow(item))
        return self

    def text(self) -> str:
        lines = ["soa: 1", f"name: {_flow(self._name)}", f"gravity: {_flow(self._gravity)}", "links:"]
        lines += [f"  - {link}" for link in self._links]
        for section, items in self._more.items():
            lines += [f"{section}:"] + [f"  - {item}" for item in items]
        return "\n".join(lines) + "\n"

    def build(self) -> Model:
        return loads(self.text())


def _flow(value) -> str:
    """A value in YAML's flow style; numbers to the last bit."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(str(k))}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return "[" + ", ".join(_flow(v) for v in value) + "]"


def discrete(A, B, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """x' = A x + B u in steps of dt with u constant over each: (Ad, Bd)."""
    A, B = np.atleast_2d(np.asarray(A, float)), np.atleast_2d(np.asarray(B, float))
    if A.shape[0] != A.shape[1] or B.shape[0] != A.shape[0]:
        raise ValueError(f"A has shape {A.shape} and B {B.shape}, expected (n, n) and (n, m)")
    Ad, Bd = _soa.discrete(A.shape[0], B.shape[1], A, B, float(dt))
    return Ad.reshape(A.shape), Bd.reshape(B.shape)
