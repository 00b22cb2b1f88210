"""Functions of models: numbers, shapes, states, errors."""
import json
import os
import pickle
import subprocess
import threading
import tracemalloc

import numpy as np
import pytest

import soa

SOURCE = os.environ["SOA_SOURCE"]
PROGRAM = os.environ["SOA_PROGRAM"]
LEAK_CALLS = int(os.environ.get("SOA_LEAK_CALLS", "20000"))
MODELS = ["pendulum", "arm7", "quadruped", "humanoid", "tree:12,3"]


def program(*arguments):
    return json.loads(subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout)


@pytest.mark.parametrize("name", MODELS)
def test_inverse_and_forward_dynamics_undo_each_other(name):
    m = soa.builtin(name)
    q, v = m.random(20, seed=3)
    _, a = m.random(20, seed=4)
    T = m.inverse_dynamics(q, v, a)
    assert T.shape == (20, m.nv)
    np.testing.assert_allclose(m.forward_dynamics(q, v, T), a, rtol=1e-7, atol=1e-7)
    mass, bias = m.mass_matrix(q), m.bias_force(q, v)
    np.testing.assert_allclose(np.einsum("sij,sj->si", mass, a) + bias, T, rtol=1e-9, atol=1e-9)


def test_numbers_are_those_of_the_program(tmp_path):
    m = soa.builtin("arm7")
    q, v = m.random()
    states = tmp_path / "states.json"
    states.write_text(json.dumps({"states": [{"q": q.tolist(), "v": v.tolist(), "tau": [1.0] * 7}]}))
    said = program("compute", "builtin:arm7", "--what", "fd", "--states", str(states), "--json")
    text = json.dumps(said)
    for number in m.forward_dynamics(q, v, np.ones(7)):
        assert any(abs(number - x) == 0 for x in numbers_in(said)), (number, text)


def numbers_in(value):
    if isinstance(value, dict):
        for x in value.values():
            yield from numbers_in(x)
    elif isinstance(value, list):
        for x in value:
            yield from numbers_in(x)
    elif isinstance(value, float):
        yield value


def test_one_state_many_states_and_threads_give_the_same_bits():
    m = soa.builtin("quadruped")
    q, v = m.random(100)
    all_at_once = m.forward_dynamics(q, v)
    one_by_one = np.array([m.forward_dynamics(q[i], v[i]) for i in range(100)])
    assert np.array_equal(all_at_once, one_by_one)
    for threads in (2, 3, 0):
        assert np.array_equal(all_at_once, m.forward_dynamics(q, v, threads=threads))
    out = np.empty_like(all_at_once)
    assert m.forward_dynamics(q, v, out=out) is out
    assert np.array_equal(all_at_once, out)


def test_shapes():
    m = soa.builtin("arm7")
    q, v = m.random()
    Q, V = m.random(3)
    assert m.mass_matrix(q).shape == (7, 7) and m.mass_matrix(Q).shape == (3, 7, 7)
    assert m.jacobian(q, at="link7").shape == (6, 7)
    assert m.jacobian(Q, at=["link7", "link3"], axes="body").shape == (3, 12, 7)
    assert m.kinematics(q)[0].shape == (8, 12) and m.kinematics(Q, V)[1].shape == (3, 8, 6)
    assert [x.shape for x in m.linear_model(q, v)] == [(14, 14), (14, 7), (21, 14), (21, 7)]
    assert m.regressor(q, v).shape == (7, 8, 10)
    assert m.christoffel(q).shape == (7, 7, 7)
    assert m.operational_inertia(q, at="link7")[0].shape == (6, 6)
    f = np.zeros((m.bodies, 6))
    assert np.array_equal(m.inverse_dynamics(q, v, v, f), m.inverse_dynamics(q, v, v))
    assert np.array_equal(m.inverse_dynamics(Q, V, V, f), m.inverse_dynamics(Q, V, V))


def test_regressor_times_parameters_is_inverse_dynamics():
    m = soa.builtin("arm7")
    q, v = m.random(seed=9)
    T = np.einsum("vlp,lp->v", m.regressor(q, v, 2 * v), m.parameters)
    np.testing.assert_allclose(T, m.inverse_dynamics(q, v, 2 * v), rtol=1e-11, atol=1e-11)


def test_a_point_beside_a_frame():
    m = soa.builtin("arm7")
    q, _ = m.random()
    pose = m.point_kinematics(q, at=("link7", (0.1, 0.2, 0.3)))[0].reshape(12)
    origin = m.point_kinematics(q, at="link7")[0].reshape(12)
    np.testing.assert_allclose(pose[9:], origin[9:] + origin[:9].reshape(3, 3) @ [0.1, 0.2, 0.3], atol=1e-14)


def test_hybrid_dynamics_takes_and_gives():
    m = soa.builtin("arm7")
    q, v = m.random()
    flags = np.array([1, 0, 1, 0, 1, 0, 1], bool)
    T, a = m.hybrid_dynamics(q, v, prescribed=flags, T=np.ones(7), vdot=np.full(7, 0.5))
    assert np.all(a[flags] == 0.5) and np.all(T[~flags] == 1.0)
    np.testing.assert_allclose(m.inverse_dynamics(q, v, a), T, atol=1e-9)


def test_other_arrays_are_converted():
    m = soa.builtin("arm7")
    q, v = m.random()
    exact = m.forward_dynamics(q.astype(np.float32).astype(float), v)
    assert np.array_equal(m.forward_dynamics(q.astype(np.float32), list(v)), exact)
    wide = np.empty((7, 2))
    wide[:, 0] = v
    assert np.array_equal(m.forward_dynamics(q, wide[:, 0]), m.forward_dynamics(q, v))
    assert np.array_equal(m.forward_dynamics(np.array([1, 0, 0, 0, 0, 0, 0])), m.forward_dynamics([1.0] + [0.0] * 6))


def test_errors_say_what_was_expected():
    m = soa.builtin("arm7")
    q, v = m.random()
    with pytest.raises(ValueError, match=r"q has shape \(3,\), expected \(7,\) or \(states, 7\)"):
        m.forward_dynamics(q[:3])
    with pytest.raises(ValueError, match="v has 3 states, q has 2"):
        m.forward_dynamics(np.zeros((2, 7)), np.zeros((3, 7)))
    with pytest.raises(TypeError, match="needs q"):
        m.forward_dynamics()
    with pytest.raises(TypeError, match="no argument 'tau'"):
        m.forward_dynamics(q, tau=v)
    with pytest.raises(TypeError, match="needs at="):
        m.jacobian(q)
    with pytest.raises(TypeError, match="numbers"):
        m.forward_dynamics("words")
    with pytest.raises(TypeError, match="writable"):
        frozen = np.empty(7)
        frozen.flags.writeable = False
        m.forward_dynamics(q, out=frozen)
    with pytest.raises(soa.Error) as e:
        m.forward_dynamics(np.stack([q, q]), np.stack([v, np.full(7, np.nan)]))
    assert e.value.state == 1 and e.value.body == 0 and isinstance(e.value, ValueError)
    with pytest.raises(FileNotFoundError) as e:
        soa.load("there-is-none.urdf")
    assert isinstance(e.value, soa.Error) and e.value.file == "there-is-none.urdf"
    with pytest.raises(soa.Error, match="did you mean 'joint1'"):
        m.q({"joint": 1.0})
    assert isinstance(pickle.loads(pickle.dumps(e.value)), soa.Error)


def test_broken_file_has_its_line(tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text('<robot name="x">\n  <link name="a"/>\n  <link name="a"/>\n</robot>\n')
    with pytest.raises(soa.Error) as e:
        soa.load(path)
    assert e.value.line == 3 and e.value.file == str(path)


def test_state_by_name_and_description():
    m = soa.builtin("quadruped")
    q = m.q({m.joints[-1]: 0.3})
    assert q[-1] == 0.3 and m.named(q)[m.joints[-1]] == 0.3
    assert np.array_equal(m.integrate(m.neutral(), np.zeros(m.nv)), m.neutral())
    a, _ = m.random(seed=1)
    b, _ = m.random(seed=2)
    np.testing.assert_allclose(m.normalize(m.integrate(a, m.difference(a, b))), b, atol=1e-12)
    assert m.name in repr(m) and len(m.links) > 4
    assert m.mass == pytest.approx(sum(link["mass"] for link in m.links))


def test_pickle_and_yaml_keep_every_bit():
    for name in MODELS:
        m = soa.builtin(name)
        q, v = m.random()
        for other in (pickle.loads(pickle.dumps(m)), soa.loads(m.to_yaml())):
            assert np.array_equal(m.forward_dynamics(q, v), other.forward_dynamics(q, v))


def test_free_base_gravity_and_files(tmp_path):
    m = soa.builtin("arm7")
    assert m.free_base().nv == 13
    still = m.with_gravity((0, 0, 0))
    assert np.all(still.gravity_force(m.neutral()) == 0)
    for ending in ("urdf", "xml", "yaml"):
        m.save(tmp_path / f"arm.{ending}")
        np.testing.assert_allclose(soa.load(tmp_path / f"arm.{ending}").mass_matrix(m.neutral()),
                                   m.mass_matrix(m.neutral()), rtol=1e-12)
    assert soa.load(tmp_path / "arm.urdf", base="free").nv == 13


def test_builder():
    b = soa.Builder("two", gravity=(0, -9.81, 0))
    b.link("one", joint="a", kind="revolute", axis=(0, 0, 1), mass=1.0, com=(0, -1, 0))
    b.link("two", "one", joint="b", kind="revolute", axis=(0, 0, 1), at=(0, -1, 0), mass=0.5, com=(0, -0.7, 0))
    b.frame("tip", "two", (0, -0.7, 0))
    m = b.build()
    q = m.q({"a": 0.4, "b": 0.2})
    # the textbook's matrix of a double pendulum with point masses
    c = np.cos(0.2)
    expected = [[1 + 0.5 * (1 + 0.49 + 1.4 * c), 0.5 * (0.49 + 0.7 * c)], [0.5 * (0.49 + 0.7 * c), 0.5 * 0.49]]
    np.testing.assert_allclose(m.mass_matrix(q), expected, rtol=1e-13)
    assert m.jacobian(q, at="tip").shape == (6, 2)
    with pytest.raises(soa.Error):
        soa.Builder().link("a", "nobody").build()


def test_closures_and_system():
    m = soa.load(os.path.join(SOURCE, "examples/models/four-bar.yaml"))
    loops = m.closures()
    q, v = loops.project(m.neutral(), [1.0, 0.0, 0.0])
    assert np.abs(loops.violation(q, v)[0]).max() < 1e-10 and np.abs(loops.violation(q, v)[1]).max() < 1e-10
    vdot, multipliers = loops.forward_dynamics(q, v)
    # dense equations of motion with the constraint's rows
    J, mass = loops.jacobian(q), m.mass_matrix(q)
    right = -m.bias_force(q, v)
    S = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, 1e-9):].T
    np.testing.assert_allclose(J @ vdot + loops.bias(q, v), 0, atol=1e-9)
    np.testing.assert_allclose(S.T @ (mass @ vdot - right), 0, atol=1e-9)
    np.testing.assert_allclose(mass @ vdot - right, J.T @ multipliers, atol=1e-9)
    assert loops.redundancy()["rank"] == 2 and loops.list()[0]["rows"] == 5
    s = m.system()
    assert s.mass_matrix(q, v).shape == (1, 1) and len(s.independent()) == 1
    assert s.minimal_model(q, v)[0].shape == (2, 2)
    np.testing.assert_allclose(s.forward_dynamics(q, v), vdot, atol=1e-9)
    with pytest.raises(KeyError):
        loops.enable("nobody")
    loops.enable(0, False)
    assert loops.forward_dynamics(q, v)[1].shape == (0,)


def test_operators():
    m = soa.builtin("tree:6,2")
    q, v = m.random()
    assert max(error for _, _, applies, error in m.check(q) if applies) < 1e-12
    np.testing.assert_allclose(m.operator("Mass", q), m.mass_matrix(q), rtol=1e-11, atol=1e-11)
    x = np.arange(6.0 * m.bodies)
    np.testing.assert_allclose(m.apply("phi'", q, x), m.operator("phi", q).T @ x, rtol=1e-11, atol=1e-9)
    with pytest.raises(ValueError):
        m.apply("nothing", q, x)


def test_discrete():
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    Ad, Bd = soa.discrete(A, B, 0.1)
    np.testing.assert_allclose(Ad, [[1, 0.1], [0, 1]], atol=1e-15)
    np.testing.assert_allclose(Bd, [[0.005], [0.1]], atol=1e-15)


def test_threads_of_python_share_a_model():
    m = soa.builtin("humanoid")
    q, v = m.random(64)
    expected = m.forward_dynamics(q, v)
    wrong = []

    def work():
        for i in range(40):
            got = m.forward_dynamics(q, v) if i % 2 else np.array([m.forward_dynamics(a, b) for a, b in zip(q[:4], v)])
            if not np.array_equal(got, expected[:len(got)]):
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps freed memory")
def test_nothing_leaks():
    m = soa.builtin("arm7")
    q, v = m.random()

    def some(count):
        for _ in range(count):
            m.forward_dynamics(q, v)
            m.jacobian(q, at="link7")
            try:
                m.forward_dynamics(q, v[:3])
            except ValueError:
                pass
            m.kinematics(list(q))

    some(2000)
    before = resident()
    tracemalloc.start()
    some(200)
    kept = tracemalloc.get_traced_memory()[0]
    some(2000)
    assert tracemalloc.get_traced_memory()[0] - kept < 4096
    tracemalloc.stop()
    some(LEAK_CALLS)
    assert resident() - before < 1 << 20
    for _ in range(300):
        soa.builtin("humanoid").mass_matrix(soa.builtin("humanoid").neutral())
    assert resident() - before < 8 << 20
