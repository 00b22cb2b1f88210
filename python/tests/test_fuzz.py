"""Random arguments to every function never crash the interpreter: they give a result or an exception."""
import gc
import os
import random

import numpy as np
import pytest

import soa

CALLS = int(os.environ.get("SOA_FUZZ_CALLS", "20000"))


def values(r, model):
    n = r.choice([0, 1, 2, model.nq, model.nv, model.nv * 2, 6 * model.bodies])
    shape = r.choice([(n,), (3, n), (n, n), (2, 3, n), (), (1, n), (model.bodies, 6), (3, model.bodies, 6)])
    array = np.full(shape, r.choice([0.0, 0.1, 1.0, np.nan, np.inf, -1e300, 1e-310]))
    return r.choice([None, array, np.ones(shape, np.float32), array.tolist(), np.repeat(array, 2)[::2], "text", 7, -1, 2.5, {}, [],
                     object(), b"bytes", np.zeros(shape, int), np.asfortranarray(array),
                     memoryview(array.tobytes()), True, "link1", ("link1", (0, 0, 1)), ["link1"], ("link1",), [None]])


def functions(thing):
    return [getattr(thing, name) for name in dir(thing) if not name.startswith("__") and callable(getattr(thing, name))
            and name not in ("save", "view", "simulate", "with_closures")]  # these write files or run long


def _functions_of_the_extension():
    from soa import _soa
    return [f for name, f in vars(_soa).items() if callable(f) and not name.startswith("__") and name != "set_calls"]


def test_what_is_used_stays():
    m = soa.builtin("quadruped")
    q, v = m.random()
    expected = m.forward_dynamics(q, v)
    closures, system, bound = m.closures(), m.system(), soa.expr("Mass^-1 (T - C)").on(m)
    del m
    gc.collect()
    assert np.allclose(closures.forward_dynamics(q, v)[0], expected) and np.allclose(system.forward_dynamics(q, v), expected)
    assert np.allclose(bound(q=q, v=v, T=np.zeros(18)), expected)
    rows = np.array([q, q])
    views = [memoryview(rows), rows[::-1], rows[:, ::-1][:, ::-1]]
    del rows
    gc.collect()
    for view in views:
        assert np.allclose(soa.builtin("quadruped").forward_dynamics(view, v), expected)
    empty = soa._soa.Closed()
    for call in (empty.list, empty.redundancy, lambda: empty.force(0)):
        with pytest.raises(RuntimeError):
            call()


def test_random_arguments():
    r = random.Random(7)
    program = soa.expr("Mass^-1 (T - C)")
    things = []
    for name in ("arm7", "pendulum", "quadruped"):
        m = soa.builtin(name)
        things += [(m, f) for t in (m, m.closures(), m.system(), program.on(m)) for f in functions(t) + [program.on(m)]]
    things += [(m, f) for f in (soa.load, soa.builtin, soa.expr, soa.discrete, soa.Model, soa.Closures, soa.System,
                                soa.Simulation, soa.simulate, soa.language.Bound, soa.Builder().link, *_functions_of_the_extension())]
    four_bar = soa.load(os.path.join(os.environ["SOA_SOURCE"], "examples/models/four-bar.yaml"))
    things += [(four_bar, f) for t in (four_bar.closures(), four_bar.system()) for f in functions(t)]
    names = ["q", "v", "T", "f", "vdot", "x", "at", "axes", "method", "prescribed", "out", "threads", "velocity", "weight"]
    done = 0
    for _ in range(CALLS):
        m, f = r.choice(things)
        q, v = m.random()
        args = [r.choice([q, v, values(r, m)]) for _ in range(r.randint(0, 4))]
        if r.random() < 0.6:
            args[:2] = [q, v]
        keywords = {k: values(r, m) if k != "threads" else r.choice([1, 1, 1, 2, -1, "x"])
                    for k in r.sample(names, r.choice([0, 0, 1, 1, 2, 3]))}
        try:
            f(*args, **keywords)
            done += 1
        except Exception:
            pass
    assert done > CALLS // 50
