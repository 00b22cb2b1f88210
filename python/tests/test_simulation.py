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


def test_a_model_and_a_mapping():
    arm = soa.builtin("arm7")
    start = {"q": {"joint2": 0.5}}
    r = arm.simulate(0.5, initial=start, record={"every": 0.1, "signals": ["q"]})
    same = soa.simulate({"model": "builtin:arm7", "duration": 0.5, "initial": start,
                         "record": {"every": np.float64(0.1), "signals": ["q"]}})
    assert r.keys() == same.keys() and np.array_equal(r["q"], same["q"]) and len(r) == 6
    with pytest.raises(soa.Error, match="^scenario: unknown key 'initials'; did you mean 'initial'"):
        arm.simulate(0.5, initials=start)


def test_tables_are_found_from_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "push.csv").write_text("t,force\n0,1\n1,1\n")
    monkeypatch.chdir(tmp_path)
    arm = soa.builtin("pendulum").with_gravity((0, 0, 0))
    r = arm.simulate(0.5, forces=[{"kind": "torque", "joint": arm.joints[0], "table": "push.csv"}])
    expected = 0.5 * 0.25 / arm.mass_matrix([0.0])[0, 0]
    assert r["q." + arm.joints[0]][-1] == pytest.approx(expected, rel=1e-9)


def test_closures_added():
    dog = soa.builtin("quadruped")
    q = dog.configurations["stand"][0]
    stance = dog
    for foot in dog.frames[:4]:  # one by one, so that some join others
        stance = stance.with_closures({"name": foot, "kind": "spherical", "a": foot, "at_b": {"xyz": dog.pose(q, at=foot)[1]}})
    assert [c["name"] for c in stance.closures().list()] == dog.frames[:4]
    assert np.abs(stance.closures().violation(q)[0]).max() < 1e-14
    assert stance.system().mass_matrix(q).shape == (6, 6)
    with pytest.raises(soa.Error):
        dog.with_closures({"name": "x", "kind": "nothing", "a": "trunk"})


def test_one_thread_at_a_time():
    import threading
    s = soa.Simulation(os.path.join(SOURCE, "examples/scenarios/carry.yaml"))
    seen = []
    thread = threading.Thread(target=lambda: s.advance(2.0))
    thread.start()
    while thread.is_alive():
        for call in (s.values, s.state, s.report, s.sensors, lambda: s.advance(3.0)):
            try:
                call()
            except RuntimeError as error:
                seen.append(str(error))
            except soa.Error:
                pass
    thread.join()
    assert all("one thread" in text for text in seen)


def test_progress_is_for_people(capsys, monkeypatch):
    soa.simulate(PENDULUM, progress=True)
    assert capsys.readouterr().err == ""
    shown = soa.simulation._Progress(2.0)
    shown.wanted, shown.next = True, -1.0
    shown.at(1.0)
    assert " 50 %  t = 1.00 of 2 s" in capsys.readouterr().err
    shown.end()
    assert capsys.readouterr().err.strip() == ""


def test_what_is_missing_is_named(monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"frame\(\) needs pandas; install it \(Debian: python3-pandas\)"):
        soa.simulate(PENDULUM).frame()
