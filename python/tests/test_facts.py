"""The numbers of another engine: MuJoCo's of three robots, kept in facts/mujoco.json (facts/mujoco.c made them)."""
import json
from pathlib import Path

import numpy as np
import pytest

import soa

FACTS = json.loads((Path(__file__).parent / "facts" / "mujoco.json").read_text())


def rotation(w, x, y, z):
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def translated(m, fact):
    """q, and for v = X qvel the matrix X and X' qvel. A free joint of MuJoCo has its place before its quaternion, its
    linear velocity in world axes before the angular one in those of the body."""
    q, X, rate = m.neutral(), np.zeros((m.nv, m.nv)), np.zeros(m.nv)
    at = {link["joint"]: link for link in m.links if link["nv"]}
    qvel = np.array(fact["qvel"])
    for name, from_q, from_v in fact["joints"]:
        link = at[name]
        if link["nv"] == 1:
            q[link["q"]] = fact["qpos"][from_q]
            X[link["v"], from_v] = 1.0
            continue
        place, quaternion = fact["qpos"][from_q:from_q + 3], fact["qpos"][from_q + 3:from_q + 7]
        q[link["q"]:link["q"] + 7] = quaternion + place
        R, v = rotation(*quaternion), link["v"]
        X[v:v + 3, from_v + 3:from_v + 6] = np.eye(3)
        X[v + 3:v + 6, from_v:from_v + 3] = R.T
        rate[v + 3:v + 6] = -np.cross(qvel[from_v + 3:from_v + 6], R.T @ qvel[from_v:from_v + 3])
    return q, X, rate


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(b).max())


@pytest.mark.parametrize("name", ["arm7", "quadruped", "humanoid"])
def test_numbers_of_mujoco(name):
    m, fact = soa.builtin(name), FACTS[name]
    q, X, rate = translated(m, fact)
    assert abs(np.linalg.det(X)) == pytest.approx(1.0)
    v, T = X @ fact["qvel"], np.linalg.solve(X.T, fact["applied"])
    vdot = X @ fact["qacc"] + rate
    mass = m.mass_matrix(q)
    close(X.T @ mass @ X, np.reshape(fact["mass"], mass.shape))
    close(X.T @ (m.bias_force(q, v) + mass @ rate), fact["bias"])
    close(m.forward_dynamics(q, v, T), vdot)
    close(m.inverse_dynamics(q, v, vdot), T)
    system = m.system()  # the same robots have no loops
    close(system.forward_dynamics(q, v, T), vdot)
    close(soa.expr("Mass^-1 (T - C)").on(m)(q=q, v=v, T=T), vdot)
