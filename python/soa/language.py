"""The operator language: expressions typed, explained, proved, simplified and run."""
from __future__ import annotations

from itertools import groupby

import numpy as np

from . import _soa
from ._arrays import real_array
from ._errors import Error

_NOTATIONS = {"ascii": 0, "unicode": 1, "latex": 2}


def _notation(name: str) -> int:
    if name not in _NOTATIONS:
        raise ValueError("notation: expected 'ascii', 'unicode' or 'latex'")
    return _NOTATIONS[name]


def _read(text: str, reading: int = 0):
    """The program of a text, and the number of its last statement."""
    program = _soa.Program()
    try:
        last = program.read(text, reading) - 1
    except Error as error:
        raise error.of_text(text) from None
    if last < 0:
        raise ValueError("an expression is expected")
    return program, last


class Expression:
    """Statements of the language; the last one is meant where one is meant.

        e = soa.expr("Mass^-1 (T - C)")
        e.type, e.latex(), e.explain(), e.simplify()
        vdot = e.on(arm)(q=q, beta=v, T=tau)
    """

    def __init__(self, text: str):
        self._program, self._last = _read(text)
        self.text = text
        self.report = ""

    @property
    def type(self) -> str:
        """Its type in words: "joint force -> joint acceleration, full, symmetric positive definite"."""
        return self._program.say("type", self._last)

    def print(self, notation: str = "ascii") -> str:
        """Its text: notation "ascii", "unicode" or "latex"."""
        return self._program.say("print", self._last, _notation(notation))

    def latex(self) -> str:
        """Its formula for LaTeX; a notebook shows it without being asked."""
        return self.print("latex")

    def explain(self, what: str = "sweeps", notation: str = "ascii") -> str:
        """How it is computed: "sweeps" (cost and recursions), "levels", "dot" or "svg"."""
        if what not in ("sweeps", "levels", "dot", "svg"):
            raise ValueError("what: expected 'sweeps', 'levels', 'dot' or 'svg'")
        return self._program.say(what, self._last, _notation(notation))

    def simplify(self, seconds: float = 10.0) -> "Expression":
        """The cheapest equal expression; its `report` tells the cost before and after, and the steps."""
        text, report = self._program.say("simplify", self._last, 0, seconds)
        statements = [self._program.statement(i) for i in range(self._last)]
        made = Expression("\n".join([s["text"] for s in statements] + [text]))
        made.report = report
        return made

    def derive(self, notation: str = "ascii", seconds: float = 10.0) -> str:
        """A table of every form in O(N) that is found, the cheapest first; "latex": a tabular."""
        return self._program.say("derive", self._last, _notation(notation), seconds)

    def on(self, model: _soa.Model, at=None, simplify: bool = True) -> "Bound":
        """Ready to run on a model; at: the points that B and J look at. simplify=False: exactly as it is written."""
        return Bound(self, model, at, simplify)

    def __str__(self):
        return self.print()

    def __repr__(self):
        return f"soa.expr({self.text!r})"

    def __reduce__(self):
        return (Expression, (self.text,))

    def _repr_latex_(self):
        return f"${self.latex()}$"


class Bound:
    """An expression on a model. Call it with q and its inputs by name; arrays of one state or of many.

    v may be written for the velocity `beta`. One thread at a time may call it.
    """

    def __init__(self, expression: Expression, model: _soa.Model, at=None, simplify: bool = True):
        self._runner = _soa.Runner(expression._program, model, at, not simplify)
        self._inputs, self._outputs, self.sweeps = self._runner.about()
        self._model, self._expression = model, expression
        self._how = (expression, model, at, simplify)

    @property
    def inputs(self) -> list[str]:
        """Names of what it is called with, beside q."""
        return [name for name, _, _ in self._inputs]

    @property
    def outputs(self) -> list[str]:
        """Names of what it gives; several: a dictionary is returned."""
        return [name for name, _, _ in self._outputs]

    def __call__(self, q=None, **inputs):
        q = real_array(self._model.neutral() if q is None else q)
        if q.ndim not in (1, 2) or q.shape[-1] != self._model.nq:
            raise ValueError(f"q has shape {q.shape}, expected ({self._model.nq},) or (states, {self._model.nq})")
        single, states = q.ndim == 1, 1 if q.ndim == 1 else len(q)
        if "v" in inputs and "v" not in self.inputs and "beta" in self.inputs:
            inputs.setdefault("beta", inputs.pop("v"))
        given = {}
        for name, numbers, rows in self._inputs:
            if name not in inputs:
                continue
            value = real_array(inputs.pop(name))
            if rows < 0 and value.size == numbers and states != 1:
                value = np.broadcast_to(value.reshape(numbers), (states, numbers))
            self._check(name, value, (numbers,) if rows < 0 else (rows, numbers // rows if rows else 0), states, rows < 0)
            given[name] = np.ascontiguousarray(value)
        if inputs:
            raise TypeError(f"the expression has no input '{next(iter(inputs))}'; it has {', '.join(self.inputs) or 'none'}")
        out = {}
        for name, numbers, rows in self._outputs:
            shape = (numbers,) if rows < 0 else (rows, numbers // rows if rows else 0)
            out[name] = np.empty(shape if single else (states,) + shape)
        self._runner.run(states, q, given, out)
        return next(iter(out.values())) if len(out) == 1 else out

    @staticmethod
    def _check(name, value, shape, states, vector):
        good = [shape, (states,) + shape] if vector and states == 1 else [(states,) + shape] if vector else [shape]
        if value.shape not in good:
            raise ValueError(f"{name} has shape {value.shape}, expected {' or '.join(map(str, good))}")

    def __repr__(self):
        return f"<{self._expression!r} on '{self._model.name}': a function of {', '.join(['q'] + self.inputs)}>"

    def __reduce__(self):
        return (Bound, self._how)


class Proof:
    """What was found of an equation: verdict "proved", "refuted" or "open", the steps, and the whole text."""

    def __init__(self, verdict: str, text: str, program, statement: int, source: str):
        self.verdict, self.text, self._source = verdict, text, source
        self._program, self._statement = program, statement

    @property
    def steps(self) -> list[str]:
        """The lines of the derivation, or the counterexample."""
        return [line.strip() for line in self.text.splitlines()[1:] if line.strip()]

    def certificate(self) -> str:
        """The sum of multiples of defining relations that the two sides differ by, for a checker."""
        return self._program.say("certificate", self._statement)

    def __bool__(self):
        return self.verdict == "proved"

    def __repr__(self):
        return self.text.rstrip()

    def __reduce__(self):
        return (prove, (self._source,))

    def _repr_markdown_(self):
        """For notebooks: what was found in words, the derivation as formulas."""
        lines = self._program.prove(self._statement, 2)[1].splitlines()
        return "\n\n".join("\n".join(line.lstrip("% ") if is_text else line for line in part)
                           for is_text, part in groupby(lines, lambda line: line.startswith("%")))


def expr(text: str) -> Expression:
    """An expression of the operator language: soa.expr("Mass^-1 (T - C)")."""
    return Expression(text)


def prove(text: str, seconds: float = 10.0) -> Proof:
    """Whether an equation holds for every system: soa.prove("Mass = H phi M phi' H'"). True if it is proved."""
    program, last = _read(text, 1)
    verdict, said = program.prove(last, 0, seconds)
    return Proof(verdict, said, program, last, text)
