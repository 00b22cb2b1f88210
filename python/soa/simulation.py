"""Scenarios simulated, and what they gave."""
from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
from typing import Any, Mapping

import numpy as np

from . import _soa
from ._errors import Error
from ._yaml import flow
from .model import Model
from .viewer import in_notebook


def _write(scenario: Mapping[str, Any], folder: str) -> str:
    """The file of a scenario that is given as a mapping; its files are found from the working folder."""
    def absolute(value):
        if isinstance(value, Mapping):
            return {k: os.path.abspath(v) if k == "table" and isinstance(v, (str, os.PathLike)) else absolute(v)
                    for k, v in value.items()}
        return [absolute(v) for v in value] if isinstance(value, (list, tuple)) else value

    about = {"soa": 1, "scenario": "scenario", **absolute(scenario)}
    model = about.get("model")
    if isinstance(model, Model):
        about["model"] = os.path.join(folder, "model.yaml")
        model.save(about["model"])
    elif isinstance(model, (str, os.PathLike)) and not os.fspath(model).startswith("builtin:"):
        about["model"] = os.path.abspath(model)
    path = os.path.join(folder, "scenario.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{key}: {flow(value)}\n" for key, value in about.items())
    return path


class Simulation(_soa.Simulation):
    """A scenario as it moves: advance(t), values(), state(), sensors(), report().

        s = soa.Simulation("scenario.yaml")
        while s.time < s.duration:
            s.step(0.01)
            s["q.elbow"]
    """

    def __init__(self, path):
        super().__init__()
        self.name, self.duration, self.every, self.recorded, self.signals = self.about()
        self._index = {name: i for i, name in enumerate(self.signals)}
        self.stopped = False

    def __new__(cls, path: str | os.PathLike | Mapping[str, Any]):
        if not isinstance(path, Mapping):
            return super().__new__(cls, os.fsdecode(path))
        with tempfile.TemporaryDirectory() as folder:
            file = _write(path, folder)
            try:
                return super().__new__(cls, file)
            except Error as error:
                if error.file == file:
                    raise type(error)(error.text, error.status, error.kind) from None
                raise

    @property
    def time(self) -> float:
        return self.state()[0]

    def step(self, dt: float) -> float:
        """Moves on by dt; returns the time."""
        reached, self.stopped = self.advance(self.time + dt)
        return reached

    def __getitem__(self, signal: str) -> float:
        if signal not in self._index:
            raise KeyError(f"no signal '{signal}'; there are {', '.join(self.signals[:8])}, ...")
        return float(self.values()[self._index[signal]])


def _need(module: str, what: str):
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise ImportError(f"{what} needs {name}; install it (Debian: python3-{name})") from None


class Result:
    """Signals over time: r["q.elbow"] is an array; r.t the times; r.report how it went."""

    def __init__(self, name: str, signals: list[str], rows: np.ndarray, report: dict[str, Any]):
        self.name, self.signals, self.report = name, signals, report
        self._rows = rows
        self._index = {signal: i for i, signal in enumerate(signals)}

    @property
    def t(self) -> np.ndarray:
        return self._rows[:, 0]

    def keys(self) -> list[str]:
        return list(self.signals)

    def __len__(self):
        return len(self._rows)

    def __contains__(self, signal):
        return signal in self._index

    def __getitem__(self, signal: str) -> np.ndarray:
        """A signal, or, for the first word of several ("q", "energy"), an array with a column each."""
        if signal in self._index:
            return self._rows[:, self._index[signal]]
        columns = [i for name, i in self._index.items() if name.startswith(signal + ".")]
        if not columns:
            raise KeyError(f"no signal '{signal}'; there are {', '.join(self.signals[:8])}, ...")
        return self._rows[:, columns]

    def frame(self):
        """A pandas.DataFrame with the times as index."""
        pandas = _need("pandas", "frame()")
        return pandas.DataFrame(self._rows[:, 1:], index=pandas.Index(self.t, name="t"), columns=self.signals[1:])

    def plot(self, *signals: str, ax=None):
        """Draws signals over time with matplotlib; returns the axes."""
        pyplot = _need("matplotlib.pyplot", "plot()")
        if ax is None:
            _, ax = pyplot.subplots()
        for signal in signals or self.signals[1:]:
            names = [signal] if signal in self._index else [s for s in self.signals if s.startswith(signal + ".")]
            if not names:
                self[signal]
            for name in names:
                ax.plot(self.t, self[name], label=name)
        ax.set_xlabel("t in s")
        ax.set_title(self.name)
        ax.grid(True, alpha=0.3)
        ax.legend()
        return ax

    def save(self, path: str | os.PathLike) -> None:
        """.csv or .npz, by the ending."""
        if os.fspath(path).endswith(".npz"):
            np.savez(path, **{signal: self[signal] for signal in self.signals})
        elif os.fspath(path).endswith(".csv"):
            np.savetxt(path, self._rows, delimiter=",", header=",".join(self.signals), comments="", fmt="%.17g")
        else:
            raise ValueError("save: the ending must be .csv or .npz")

    def __repr__(self):
        r = self.report
        return (f"<soa.Result '{self.name}': {len(self)} rows of {len(self.signals)} signals to t = {self.t[-1]:g} s, "
                f"{r['steps']} steps, energy drift {r['drift']:.1e} J>")


class _Progress:
    """How far a simulation is, on a terminal or in a notebook; nothing is written into files and pipes."""

    def __init__(self, duration: float):
        self.duration, self.began, self.next, self.width = duration, time.monotonic(), 0.2, 0
        self.wanted = sys.stderr.isatty() or in_notebook()

    def at(self, t: float) -> None:
        passed = time.monotonic() - self.began
        if self.wanted and passed > self.next:
            self.next = passed + 0.2
            self._write(f"{100 * t / self.duration:3.0f} %  t = {t:.2f} of {self.duration:g} s, {t / passed:.3g} times real time")

    def end(self) -> None:
        if self.width:
            self._write("")
            sys.stderr.write("\r")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)


def simulate(path: str | os.PathLike | Mapping[str, Any], progress: bool = False, record=None) -> Result:
    """Runs a scenario to its end: a file, or a mapping with the keys of one, whose model may be a soa.Model.

    progress: shows how far it is. record: signals, or first words of several (None: those of the scenario)."""
    sim = Simulation(path)
    wanted = sim.recorded if record is None else [record] if isinstance(record, str) else list(record)
    columns = [0]
    for word in wanted:
        found = [i for i, s in enumerate(sim.signals) if s == word or s.startswith(word + ".")]
        if not found:
            raise KeyError(f"no signal '{word}'; there are {', '.join(sim.signals[:8])}, ...")
        columns += [i for i in found if i not in columns]
    count = int(np.floor(sim.duration / sim.every + 1e-9))
    times = [i * sim.every for i in range(1, count + 1)]
    if not times or times[-1] < sim.duration:
        times.append(sim.duration)
    rows, shown = [sim.values()[columns]], _Progress(sim.duration) if progress else None
    for t in times:
        _, sim.stopped = sim.advance(t)
        rows.append(sim.values()[columns])
        if shown:
            shown.at(t)
        if sim.stopped:
            break
    if shown:
        shown.end()
    return Result(sim.name, [sim.signals[i] for i in columns], np.array(rows), sim.report())
