#!/usr/bin/env python3
"""Docstrings and type stubs of the extension, from the headers: generate.py INCLUDE SRC docs.h _soa.pyi.

The lists of soa/batch.h and soa/sens_batch.h, and those of src/closures.c and src/system.c, say which arrays a function takes and gives;
the comment above a C function is its documentation, so that units and frames are said once."""
import re
import sys
from pathlib import Path

include, source, docs_h, stubs = (Path(a) for a in sys.argv[1:5])


def joined(path):
    return path.read_text().replace("\\\n", " ")


headers = {p.name: p.read_text() for p in sorted(include.glob("*.h"))}


def comment_of(function):
    """The comment that stands above a function, or above the group that it is in."""
    for text in headers.values():
        at = re.search(r"SOA_API [^;/]*?\b" + function + r"\(", text)
        if at:
            before = text[: at.start()]
            comments = list(re.finditer(r"/\*(.*?)\*/", before, re.S))
            while comments and ("----" in comments[-1].group(1).splitlines()[0]
                                or before[: comments[-1].start()].rpartition("\n")[2].strip()):
                comments.pop()  # titles, and remarks behind code
            if not comments:
                return ""
            lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comments[-1].group(1).strip().splitlines()]
            return " ".join(" ".join(lines).split())
    raise SystemExit(f"generate.py: no function {function} in the headers")


def arguments_of(text, prefix, name):
    macro = re.search(r"#define " + prefix + name + r"\(ARG, STATES, IN, OUT\)(.*?)\n", text)
    body = macro.group(1).replace("SYSTEM_S(IN, OUT)", "IN(q, nq) IN(v, nv)")
    return re.findall(r"\b(ARG|IN|OUT)\(([^,()]*), ((?:[^()]|\([^()]*\))*)\)", body)


LENGTHS = {"6p": "6 points", "2v": "2 nv", "3v": "3 nv", "2d": "2 dofs"}


def shape_of(name, numbers):
    """How the numbers of one state are laid out: the table of shapes.c."""
    for pattern, wanted, shape in SHAPES:
        if pattern == numbers and wanted in ("NULL", f'"{name}"'):
            return ", ".join(LENGTHS.get(word, word) for word in shape.split(","))
    return numbers


SHAPES = re.findall(r'\{ "([^"]+)", (NULL|"\w+"), "([^"]+)" \}', (source / "shapes.c").read_text())
UNITS = {"q": "rad, m; quaternions w x y z", "v": "rad/s, m/s", "vdot": "rad/s^2, m/s^2", "T": "N m, N",
         "f": "N m, N: moment then force", "C": "N m, N", "F": "N m, N", "energy": "J", "pose": "rotation by rows, m",
         "momentum": "kg m^2/s, kg m/s"}
KEYWORDS = {"point": ("at", "str | tuple | list", None), "axes": ("axes", "str", "'mixed'"),
            "method": ("method", "str", "'fastest'"), "velocity": ("velocity", "int", "0"),
            "prescribed": ("prescribed", "ArrayLike", None), "points": None}


class Function:
    def __init__(self, name, c_name, arguments, threads, doc=None):
        self.name, self.c_name = name, c_name
        self.inputs = [(n, s) for kind, n, s in arguments if kind == "IN"]
        self.outputs = [(n, s) for kind, n, s in arguments if kind == "OUT"]
        self.others = [KEYWORDS[n] for kind, _, n in arguments if kind == "ARG" and KEYWORDS[n.strip()]]
        self.threads = threads
        self.doc = (doc or comment_of(c_name)).replace("NULL", "None")

    def parameters(self, typed):
        def one(name, kind, default):
            text = f"{name}: {kind}" if typed else name
            return text if default is None else f"{text} = {default}" if typed else f"{text}={default}"

        out = ["self" if typed else "$self"]
        for i, (name, _) in enumerate(self.inputs):
            out.append(one(name, "ArrayLike" + (" | None" if i else ""), None if i == 0 else "None"))
        out.append("*")
        out += [one(*other) for other in self.others]
        if self.name == "hybrid_dynamics":
            out += [one(name, "ArrayLike | None", "None") for name, _ in self.outputs]
        out.append(one("out", "NDArray | tuple | None", "None"))
        if self.threads:
            out.append(one("threads", "int", "1"))
        return ", ".join(out)

    def docstring(self):
        def arrays(items):
            return ", ".join(f"{n} ({shape_of(n, s)}{'; ' + UNITS[n] if n in UNITS and '* nv' not in s else ''})"
                             for n, s in items)

        lines = [f"{self.name}({self.parameters(False)})", "--", "", self.doc, ""]
        if self.inputs:
            lines.append(f"Arguments: {arrays(self.inputs)}. Each is for one state or, with a first axis, for many.")
        lines.append(f"Returns: {arrays(self.outputs)}.")
        lines.append(f"SI units; vectors of bodies and points are angular, then linear. From C: {self.c_name}.")
        return "\n".join(lines)

    def macro(self, name):
        text = self.docstring().replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'#define DOC_{name} "{text}"'

    def stub(self):
        result = "NDArray" if len(self.outputs) == 1 else f"tuple[{', '.join(['NDArray'] * len(self.outputs))}]"
        return f"    def {self.name}({self.parameters(True)}) -> {result}: ..."


def listed(header, macro):
    text = joined(include / header)
    names = re.findall(r"X\((\w+)\)", re.search(r"#define " + macro + r"\(X\)(.*?)\n\n", text, re.S).group(1))
    return [Function(n, "soa_" + n, arguments_of(text, "SOA_BATCH_", n), True) for n in names]


model = listed("batch.h", "SOA_BATCH_LIST") + listed("sens_batch.h", "SOA_SENS_BATCH_LIST")
own = joined(source / "model.c")
model += [Function(n, c, arguments_of(own, "CONFIGURATION_", n), False)
          for n, c in [("normalize", "soa_normalize"), ("difference", "soa_difference"), ("rates", "soa_model_rates")]]
text = joined(source / "closures.c") + joined(source / "system.c")
closures = []
for name in re.findall(r"#define CLOSURES_(\w+)\(ARG", text):
    c_name = "soa_closed_" + name if f"soa_closed_{name}(" in text else "soa_closure_" + name
    closures.append(Function(name, c_name, arguments_of(text, "CLOSURES_", name), False))
system = [Function(name, "soa_system_" + name, arguments_of(text, "SYSTEM_system_", name), False)
          for name in re.findall(r"#define SYSTEM_system_(\w+)\(ARG", text)]

docs_h.write_text("\n".join(["/* Made by generate.py from the headers. */"] + [f.macro(f.name) for f in model]
                            + [f.macro("closures_" + f.name) for f in closures]
                            + [f.macro("system_" + f.name) for f in system]) + "\n")
# What the extension has beside functions of arrays.
OTHERS = """
class Closed:
    def __init__(self, model: Model) -> None: ...
    def force(self, closure: str | int) -> dict[str, Any]: ...
    def enable(self, closure: str | int, enabled: bool = True) -> None: ...
    def remove(self, closure: str | int) -> None: ...
    def hold_here(self, closure: str | int, q: ArrayLike) -> None: ...
    def set_motion(self, closure: str | int, position: ArrayLike | None = None, velocity: ArrayLike | None = None,
                   acceleration: ArrayLike | None = None) -> None: ...
    def list(self) -> list[dict[str, Any]]: ...
    def redundancy(self) -> dict[str, Any]: ...
    def set_tolerances(self, rank: float = 0, contradiction: float = 0, velocity: float = 0) -> None: ...
    def _grasp(self, what: str, link: str, q: ArrayLike, numbers: ArrayLike | None = None) -> Any: ...

class Simulation:
    def __new__(cls, path: str) -> Any: ...
    def advance(self, t: float) -> tuple[float, bool]: ...
    def about(self) -> tuple[str, float, float, list[str], list[str]]: ...
    def values(self) -> NDArray: ...
    def state(self) -> tuple[float, NDArray, NDArray]: ...
    def report(self) -> dict[str, Any]: ...
    def sensors(self) -> list[dict[str, Any]]: ...

class Program:
    def read(self, text: str, reading: int = 0) -> int: ...
    def statement(self, number: int) -> dict[str, Any]: ...
    def say(self, what: str, statement: int, notation: int = 0, seconds: float = 10.0) -> Any: ...
    def prove(self, statement: int, notation: int = 0, seconds: float = 10.0) -> tuple[str, str]: ...

class Runner:
    def __init__(self, program: Program, model: Model, at: Any = None, written: bool = False) -> None: ...
    def about(self) -> tuple[list[tuple[str, int, int]], list[tuple[str, int, int]], int]: ...
    def run(self, states: int, q: NDArray, inputs: dict[str, NDArray], outputs: dict[str, NDArray]) -> None: ...

def builtins() -> dict[str, str]: ...
def set_calls(make_error: Any, real_array: Any) -> None: ...
def apply(model: Model, operator: str, q: ArrayLike, x: ArrayLike, at: Any = None) -> NDArray: ...
def dense(model: Model, operator: str, q: ArrayLike, at: Any = None) -> tuple[int, int, NDArray]: ...
def identities(model: Model, q: ArrayLike, at: Any = None) -> list[tuple[str, str, bool, float]]: ...
def discrete(n: int, m: int, A: ArrayLike, B: ArrayLike, dt: float) -> tuple[NDArray, NDArray]: ...
"""

OF_MODEL = """
    def __new__(cls, how: str, text: str, other: Model | None = None, more: Any = None) -> Any: ...
    def _sizes(self) -> dict[str, Any]: ...
    def _link(self, number: int) -> dict[str, Any]: ...
    def _joint(self, name: str) -> tuple[int, int, int, int]: ...
    def _names(self, what: str) -> list[str]: ...
    def _configurations(self) -> dict[str, tuple[NDArray, NDArray | None]]: ...
    def _parameters(self) -> NDArray: ...
    def _neutral(self) -> NDArray: ...
    def _integrate(self, q: ArrayLike, v: ArrayLike) -> NDArray: ...
    def _random(self, states: int, seed: int) -> tuple[NDArray, NDArray]: ...
    def _write(self, format: str) -> str: ...
"""

stubs.write_text("""# Made by generate.py from the headers.
from typing import Any
from numpy.typing import ArrayLike, NDArray

version: str

class Model:
""" + "\n".join(f.stub() for f in model) + OF_MODEL + OTHERS + "\nclass Closures(Closed):\n"
                 + "\n".join(f.stub() for f in closures) + "\n\nclass System(Closed):\n"
                 + "\n".join(f.stub() for f in system) + """
    def independent(self) -> list[int]: ...
    def prefer(self, flags: ArrayLike) -> None: ...
""")
