"""Random arguments to every function never crash the interpreter: they give a result or an exception."""
import os
import random

import numpy as np

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
            and name not in ("save",)]


def test_random_arguments():
    r = random.Random(7)
    program = soa.expr("Mass^-1 (T - C)")
    things = []
    for name in ("arm7", "pendulum", "quadruped"):
        m = soa.builtin(name)
        things += [(m, f) for t in (m, m.closures(), m.system(), program.on(m)) for f in functions(t) + [program.on(m)]]
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
