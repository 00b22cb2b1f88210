"""Models: loaded, built, described."""
from __future__ import annotations

import os
import re
from typing import Any, Mapping

import numpy as np

from . import _soa
from ._arrays import real_array
from ._errors import Error
from ._yaml import lines


class _Grasps:
    """What closures at one link do together; how a set is shown."""

    _grasp: Any
    list: Any

    def __init__(self, model):
        super().__init__()
        self.model = model

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} is scratch memory and is not pickled; pickle the model")

    def __repr__(self):
        lines = [f"<soa.{type(self).__name__} of '{self.model.name}'>"]
        return "\n".join(lines + [f"  {c['name']}  ({c['rows']} rows{'' if c['enabled'] else ', disabled'})" for c in self.list()])

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
        """Names of the joints that move, in the order of q and v; "LINK/flex" are the modes of a flexible link."""
        return [name for name, *_ in self._places()]

    def _places(self):
        """Joints that move, in the order of v: name, link (None: modes), {"q": its slice of q, "v": its slice of v}."""
        found = []
        for link in self.links:
            if link["nv"]:
                at = {x: slice(link[x], link[x] + link["n" + x]) for x in "qv"}
                found.append((link["joint"] or link["name"], link, at))
            if link["modes"]:
                q, v, count = link["modes"]
                found.append((link["name"] + "/flex", None, {"q": slice(q, q + count), "v": slice(v, v + count)}))
        return sorted(found, key=lambda place: place[2]["v"].start)

    @property
    def limits(self) -> dict[str, np.ndarray]:
        """Limits of the joints in the order of v: "lower" and "upper" (rad, m), "velocity", "effort"; none: infinite."""
        out = {name: np.full(self.nv, -np.inf if name == "lower" else np.inf)
               for name in ("lower", "upper", "velocity", "effort")}
        for _, link, at in self._places():
            for name in out if link else ():
                out[name][at["v"]] = link[name]
        return out

    @property
    def frames(self) -> list[str]:
        """Names that `at` takes beside those of links."""
        return self._names("frames")

    @property
    def warnings(self) -> list[str]:
        """What the reader of the file remarked."""
        return self._names("warnings")

    @property
    def configurations(self) -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
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
        """q moved along v for time dt in s, with v constant in the links' frames."""
        return self._integrate(q, np.multiply(real_array(v), float(dt)))

    def pose(self, q, at) -> tuple[np.ndarray, np.ndarray]:
        """(rotation, position) of a link, a frame or a point of one in the world: (3, 3) and (3,) in m.

        Many states or a list of points give axes before those."""
        pose = self.point_kinematics(q, at=at)[0]
        pose = pose if isinstance(at, list) else pose[..., 0, :]
        return pose[..., :9].reshape(pose.shape[:-1] + (3, 3)), pose[..., 9:]

    def q(self, values: Mapping[str, Any] | None = None, base=None) -> np.ndarray:
        """q with joints by name: arm.q({"elbow": 0.3}); the others as in base (None: neutral)."""
        return self._fill(values, self.neutral() if base is None else np.array(base, float), "q", 0)

    def v(self, values: Mapping[str, Any] | None = None, base=None) -> np.ndarray:
        """v (or vdot, or T) with joints by name; the others as in base (None: zero)."""
        return self._fill(values, np.zeros(self.nv) if base is None else np.array(base, float), "v", 2)

    def _fill(self, values, out, what, at):
        if values is not None and not isinstance(values, Mapping):
            raise TypeError(f'{what}: expected numbers by joint name, such as {{"{self.joints[0]}": 0.3}}')
        if out.shape != ((self.nq if what == "q" else self.nv),):
            raise ValueError(f"base has shape {out.shape}, expected ({self.nq if what == 'q' else self.nv},)")
        for name, value in (values or {}).items():
            place = self._joint(name)
            first, count = place[at], place[at + 1]
            value = np.atleast_1d(np.asarray(value, float))
            if value.shape != (count,):
                raise ValueError(f"{what} of joint '{name}' needs {count} number{'s' if count > 1 else ''}, got {value.size}")
            if not np.all(np.isfinite(value)):
                raise ValueError(f"{what} of joint '{name}' is not finite")
            out[first:first + count] = value
        return out

    def named(self, numbers) -> dict[str, Any]:
        """Numbers of q or v by joint."""
        numbers = np.asarray(numbers)
        if numbers.shape not in ((self.nq,), (self.nv,)):
            raise ValueError(f"expected {self.nq} or {self.nv} numbers")
        at = "v" if numbers.shape == (self.nv,) else "q"
        parts = {name: numbers[place[at]] for name, _, place in self._places()}
        return {name: float(part[0]) if len(part) == 1 else part.copy() for name, part in parts.items()}

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

    def view(self, result=None, path: str | os.PathLike | None = None):
        """Shows the model, or a result of soa.simulate moving it: in the notebook, or else in the browser.

        path: where the page is kept, one file that needs no other."""
        from .viewer import show
        return show(self, result, path)

    def with_closures(self, *closures: Mapping[str, Any]) -> Model:
        """The same system with more loops, each as native files say it (docs/native-format.md):

            stance = dog.with_closures({"name": "left", "kind": "spherical", "a": "FL_foot", "at_b": {"xyz": p}})
        """
        text, added = self.to_yaml(), lines("closures", list(closures))
        have = re.search(r"^closures:\n(?: .*\n)*", text, re.M)
        if have:
            text, added = text[:have.end()] + added.partition("\n")[2] + text[have.end():], ""
        return loads(text + added)

    def simulate(self, duration: float, progress: bool = False, **scenario):
        """Moves the model through time: arm.simulate(2.0, initial={"q": {"elbow": 0.3}}).plot("q").

        The keywords are the keys of scenario files (docs/scenario-format.md): initial, integrator, forces,
        controllers, events, record, ..."""
        from .simulation import simulate
        return simulate({"scenario": self.name or "model", **scenario, "model": self, "duration": duration}, progress)

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
        links = self.links
        children: dict[int, list[int]] = {}
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
    model = Model("load", os.fsdecode(path))
    model = model.free_base() if base == "free" else model
    model._source = (os.path.abspath(os.fsdecode(path)), base)
    return model


def loads(text: str, format: str = "YAML") -> Model:
    """A model from text: format YAML, URDF or MJCF."""
    if format not in ("YAML", "URDF", "MJCF"):
        raise ValueError("format: expected 'YAML', 'URDF' or 'MJCF'")
    try:
        return Model(format, text)
    except Error as error:
        raise error.of_text(text) from None


def builtin(name: str) -> Model:
    """One of the built-in models: soa.builtins() lists them; "chain:100", "tree:40,7"."""
    return Model("builtin", name)


def builtins() -> dict[str, str]:
    """The built-in models and what they are."""
    return _soa.builtins()


def discrete(A, B, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """x' = A x + B u in steps of dt with u constant over each: (Ad, Bd)."""
    A, B = np.atleast_2d(np.asarray(A, float)), np.atleast_2d(np.asarray(B, float))
    if A.shape[0] != A.shape[1] or B.shape[0] != A.shape[0]:
        raise ValueError(f"A has shape {A.shape} and B {B.shape}, expected (n, n) and (n, m)")
    Ad, Bd = _soa.discrete(A.shape[0], B.shape[1], A, B, float(dt))
    return Ad.reshape(A.shape), Bd.reshape(B.shape)
