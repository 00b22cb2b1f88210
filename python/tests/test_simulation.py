"""Scenarios."""
import csv
import os
import subprocess

import numpy as np
import pytest

import soa

SOURCE = os.environ["SOA_SOURCE"]
PENDULUM = os.path.join(SOURCE, "examples/benchmarks/a01-pendulum.yaml")


def test_it_is_what_the_program_records(tmp_path):
    r = soa.simulate(PENDULUM)
    subprocess.run([os.environ["SOA_PROGRAM"], "sim", PENDULUM, "--out", str(tmp_path)], check=True,
                   capture_output=True)
    with open(tmp_path / "result.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == r.keys()
    recorded = np.array(rows[1:], float)
    assert recorded.shape == (len(r), len(r.keys()))
    for i, name in enumerate(r.keys()):
        assert np.array_equal(recorded[:, i], r[name]), name
    assert abs(r.report["drift"]) < 1e-8 and "a01" in repr(r)


def test_step_by_step():
    s = soa.Simulation(PENDULUM)
    while s.time < 1.0 - 1e-12:
        s.step(0.01)
    whole = soa.simulate(PENDULUM)
    assert s["q.hinge"] == pytest.approx(whole["q.hinge"][np.searchsorted(whole.t, 1.0 - 1e-9)], abs=1e-9)
    with pytest.raises(KeyError):
        s["nothing"]


def test_saved(tmp_path):
    r = soa.simulate(PENDULUM, record=["energy"])
    assert r.keys() == ["t", "energy.kinetic", "energy.potential"] and r["energy"].shape == (len(r), 2)
    r.save(tmp_path / "r.npz")
    assert np.array_equal(np.load(tmp_path / "r.npz")["energy.kinetic"], r["energy.kinetic"])
    r.save(tmp_path / "r.csv")
    with pytest.raises(KeyError):
        soa.simulate(PENDULUM, record="nothing")


def test_broken(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(f"soa: 1\nscenario: x\nmodel: {SOURCE}/examples/benchmarks/pendulum.yaml\nduration: -1\n")
    with pytest.raises(soa.Error) as e:
        soa.simulate(path)
    assert e.value.line == 4


def test_plot():
    pytest.importorskip("matplotlib").use("Agg")
    assert soa.simulate(PENDULUM).plot("q.hinge", "energy").get_legend()


def test_frame():
    pytest.importorskip("pandas")
    assert soa.simulate(PENDULUM).frame().shape[1] == 4


def test_sensors(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("soa: 1\nscenario: x\nmodel: builtin:pendulum\nduration: 1\ninitial: {q: {pivot: 0.4}}\n"
                    "sensors:\n  - {kind: encoder, name: angle, joint: pivot, rate: 100}\n")
    s = soa.Simulation(path)
    s.advance(0.1)
    shown = s.sensors()
    assert list(shown) == ["angle"] and shown["angle"] == pytest.approx([s["q.pivot"], s["v.pivot"]], abs=1e-12)
