"""What makes the package pleasant: names, displays, pickles, messages."""
import errno
import json
import os
import pickle
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import soa

SOURCE = os.environ["SOA_SOURCE"]


def test_arrays_laid_out_otherwise_are_refused():
    m = soa.builtin("arm7")
    q, v = m.random()
    with pytest.raises(ValueError, match=r"f has shape \(6, 7\), expected \(7, 6\) or \(states, 7, 6\)"):
        m.inverse_dynamics(q, f=np.zeros((6, 7)))
    with pytest.raises(ValueError, match="shape"):
        m.forward_dynamics(q.reshape(7, 1))
    with pytest.raises(ValueError, match=r"out for mass has shape \(49, 1\), expected \(7, 7\)"):
        m.mass_matrix(q, out=np.empty((49, 1)))
    assert np.array_equal(m.mass_matrix(q, out=np.empty(49)).reshape(7, 7), m.mass_matrix(q))
    with pytest.raises(TypeError, match="real numbers"):
        m.forward_dynamics(q, v.astype(complex))
    with pytest.raises(TypeError, match="real numbers"):
        m.forward_dynamics(["1"] * 7)


def test_flexible_links_have_joints_and_modes():
    m = soa.load(Path(SOURCE) / "examples/models/flexible-arm.yaml")
    assert m.joints == ["shoulder", "upper/flex", "elbow", "fore/flex"]
    q = m.q({"elbow": 0.3, "upper/flex": [1e-3, 2e-3, 3e-3, 4e-3]})
    assert np.array_equal(q, [0, 1e-3, 2e-3, 3e-3, 4e-3, 0.3, 0, 0, 0])
    named = m.named(q)
    assert named["elbow"] == 0.3 and np.array_equal(named["upper/flex"], q[1:5]) and len(named) == 4
    assert m.limits["lower"].shape == (m.nv,) and np.all(np.isinf(m.limits["effort"]))
    assert [(link["q"], link["nv"], link["modes"]) for link in m.links] == \
        [(0, 1, (1, 1, 4)), (-1, 0, None), (5, 1, (6, 6, 3)), (-1, 0, None)]
    many = soa.builtin("flexible-chain:1,20")
    assert many.limits["upper"].shape == (21,) and many.links[0]["upper"] == (np.inf,)
    v = 0.1 * np.ones(m.nv)
    assert np.allclose(m.inverse_dynamics(q, v, m.forward_dynamics(q, v)), 0, atol=1e-12)
    assert np.allclose(m.mass_matrix(np.stack([q, q]))[1], m.mass_matrix(q))
    assert all(error < 1e-9 for _, _, applies, error in m.check() if applies)


def test_overlapping_results_are_refused_and_inputs_may_be_written_over():
    m = soa.builtin("arm7")
    q, v = m.random()
    expected = m.forward_dynamics(q, v)
    room = np.zeros(10)
    room[:7] = v
    with pytest.raises(ValueError, match="overlaps"):
        m.forward_dynamics(q, room[:7], out=room[2:9])
    own = v.copy()
    assert np.array_equal(m.forward_dynamics(q, own, out=own), expected)


def test_a_buffer_that_lies_about_its_kind():
    class Liar(bytearray):
        dtype = np.dtype("float64")

    m = soa.builtin("arm7")  # seven bytes are seven numbers, and not seven float64
    assert np.array_equal(m.forward_dynamics(Liar(7)), m.forward_dynamics(np.zeros(7)))


@pytest.mark.parametrize("call", [
    lambda m, x: m.integrate(m.neutral(), x), lambda m, x: m.rates(m.neutral(), x), lambda m, x: m.v({"joint1": x[0]}),
    lambda m, x: m.mass_solve(m.neutral(), x), lambda m, x: m.normalize(x), lambda m, x: m.difference(m.neutral(), x),
    lambda m, x: m.system().forward_dynamics(m.neutral(), x), lambda m, x: m.closures().forward_dynamics(x),
    lambda m, x: m.apply("Mass", m.neutral(), x), lambda m, x: m.inverse_dynamics(m.neutral(), f=np.full((7, 6), x[0])),
    lambda m, x: soa.expr("Mass^-1 T").on(m)(q=m.neutral(), T=x), lambda m, x: m.with_gravity(x[:3]),
    lambda m, x: m.jacobian(m.neutral(), at=("tool", x[:3])), lambda m, x: m.hybrid_dynamics(
        m.neutral(), prescribed=np.ones(7), vdot=x)])
def test_no_nan_passes(call):
    m = soa.builtin("arm7")
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError):
            call(m, np.full(7, bad))


def test_states_by_name():
    m = soa.builtin("arm7")
    assert m.q({"joint2": 0.3}, base=m.configurations["home"][0])[[1, 3]].tolist() == [0.3, 1.4]
    with pytest.raises(TypeError, match="by joint name"):
        m.q(0.3)
    with pytest.raises(ValueError, match="needs 1 number, got 2"):
        m.q({"joint2": [1, 2]})
    free = m.free_base()
    assert len(free.named(free.q())[free.joints[0]]) == 7


def test_pose():
    m = soa.builtin("arm7")
    q, _ = m.random()
    R, p = m.pose(q, at="tool")
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    h = 1e-6
    moved = m.pose(m.integrate(q, np.eye(7)[1], h), at="tool")[1]
    np.testing.assert_allclose((moved - p) / h, m.jacobian(q, at="tool")[3:, 1], atol=1e-5)
    Q, _ = m.random(3)
    assert [x.shape for x in m.pose(Q, at=["tool", "link3"])] == [(3, 2, 3, 3), (3, 2, 3)]


def test_displays():
    m = soa.load(os.path.join(SOURCE, "examples/models/four-bar.yaml"))
    assert "closures" in repr(m) and "<pre>" in m._repr_html_()
    assert "rows" in repr(m.closures()) and "soa.System" in repr(m.system())
    bound = soa.expr("Mass^-1 (T - C)").on(soa.builtin("arm7"))
    assert "q, beta, T" in repr(bound)
    shown = soa.prove("Mass = H phi M phi' H'")._repr_markdown_()
    assert shown.startswith("proved") and "\\begin{align*}" in shown and "%" not in shown


def test_notebooks_are_kept_without_results():
    notebooks = sorted(Path(SOURCE, "examples/notebooks").glob("*.ipynb"))
    assert len(notebooks) > 6
    for path in notebooks:
        cells = json.loads(path.read_text())["cells"]
        assert cells[0]["cell_type"] == "markdown"
        assert all(not c["outputs"] and c["execution_count"] is None for c in cells if c["cell_type"] == "code"), path


def test_places_in_texts():
    with pytest.raises(soa.Error) as e:
        soa.expr("Mass^-1 (T - C")
    assert str(e.value).splitlines() == ["column 9: this parenthesis is never closed", "  Mass^-1 (T - C", "          ^"]
    with pytest.raises(soa.Error, match="line 3, column"):
        soa.loads("soa: 1\nlinks:\n  - {name: a, masss: 3}\n")
    again = pickle.loads(pickle.dumps(e.value))
    assert str(again) == str(e.value) and again.column == 9


def test_a_missing_file_is_what_python_expects(tmp_path):
    for call in (soa.load, soa.simulate):
        with pytest.raises(FileNotFoundError) as e:
            call(tmp_path / "nothing.yaml")
        assert e.value.errno == errno.ENOENT and e.value.filename == str(tmp_path / "nothing.yaml")
    with pytest.raises(OSError):
        soa.load(tmp_path)


def test_pickles():
    m = soa.builtin("arm7")
    q, _ = m.random()
    e = pickle.loads(pickle.dumps(soa.expr("Mass^-1 T")))
    assert e.text == "Mass^-1 T"
    bound = e.on(m, at="tool")
    again = pickle.loads(pickle.dumps(bound))
    assert np.array_equal(again(q=q, T=np.ones(7)), bound(q=q, T=np.ones(7)))
    assert pickle.loads(pickle.dumps(soa.prove("Mass = Mass")))
    with pytest.raises(TypeError, match="pickle the model"):
        pickle.dumps(m.closures())


def test_velocities_have_their_usual_name_too():
    m = soa.builtin("arm7")
    q, v = m.random()
    bound = soa.expr("Mass^-1 (T - C)").on(m)
    assert np.array_equal(bound(q=q, v=v, T=np.ones(7)), bound(q=q, beta=v, T=np.ones(7)))
    with pytest.raises(ValueError, match=r"T has shape \(3,\)"):
        bound(q=q, v=v, T=np.ones(3))


def test_view(tmp_path, monkeypatch):
    program = tmp_path / "soa"
    program.write_text(f"#!{sys.executable}\nimport sys\nopen(sys.argv[-1], 'w').write('<p>' + ' '.join(sys.argv[1:2]))\n")
    program.chmod(0o755)
    monkeypatch.setenv("SOA_PROGRAM", str(program))
    shown = soa.builtin("arm7").view(path=tmp_path / "arm.html")
    assert (tmp_path / "arm.html").read_text() == "<p>view" and "&lt;p&gt;view" in shown._repr_html_()
    program.write_text("#!/bin/sh\necho 'soa: no page today' >&2\nexit 1\n")
    with pytest.raises(soa.Error, match="view: no page today"):
        soa.builtin("arm7").view(path=tmp_path / "arm.html")


def test_the_program_writes_the_page(tmp_path):
    r = soa.builtin("arm7").simulate(0.1)
    for model in (soa.builtin("arm7"), soa.load(os.path.join(SOURCE, "examples/models/four-bar.yaml"), base="fixed")):
        try:
            model.view(r if model.name == "arm7" else None, path=tmp_path / "page.html")
        except soa.Error as error:
            if "make web" in str(error):
                pytest.skip("the page of the viewer is not built")
            raise
        assert "<html" in (tmp_path / "page.html").read_text().lower()


def test_the_same_package_gives_the_same_wheel(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(SOURCE, "python"))
    import backend
    monkeypatch.setattr(backend, "build_package", lambda folder: Path(soa.__file__).parent)
    bytes_of = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        bytes_of.append((folder / backend.build_wheel(folder)).read_bytes())
    assert bytes_of[0] == bytes_of[1]
    names = zipfile.ZipFile(tmp_path / "one" / backend.build_wheel(tmp_path / "one")).namelist()
    assert {"soa/_soa.abi3.so", "soa/_soa.pyi", "soa/py.typed"} <= set(names) and any(n.endswith("RECORD") for n in names)
