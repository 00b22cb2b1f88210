"""Expressions and proofs."""
import numpy as np
import pytest

import soa


def test_an_expression_runs_as_forward_dynamics():
    m = soa.builtin("arm7")
    e = soa.expr("Mass^-1 (T - C)")
    q, v = m.random(5)
    T = np.ones((5, 7))
    bound = e.on(m)
    assert set(bound.inputs) == {"T", "beta"}
    np.testing.assert_allclose(bound(q=q, beta=v, T=T), m.forward_dynamics(q, v, T), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(bound(q=q[0], beta=v[0], T=T[0]), m.forward_dynamics(q[0], v[0], T[0]), rtol=1e-10)
    np.testing.assert_allclose(bound(q=q, beta=v, T=T[0]), m.forward_dynamics(q, v, T), rtol=1e-10, atol=1e-10)
    with pytest.raises(TypeError, match="no input 'x'"):
        bound(q=q, x=1)
    with pytest.raises(soa.Error):
        bound(q=q)


def test_operators_are_matrices():
    m = soa.builtin("arm7")
    q, _ = m.random()
    np.testing.assert_allclose(soa.expr("H phi M phi' H'").on(m)(q=q), m.mass_matrix(q), rtol=1e-12, atol=1e-12)
    J = soa.expr("J").on(m, at="link7")(q=q)
    assert J.shape == (6, 7)


def test_said():
    e = soa.expr("(I - H psi K)' D^-1 (I - H psi K) T")
    assert "joint" in e.type
    assert r"\psi" in e.latex() and e._repr_latex_().startswith("$")
    assert "sweep" in e.explain()
    assert "<svg" in e.explain("svg")
    assert str(soa.expr("Mass^-1 T").simplify())
    assert "psi" in soa.expr("Mass^-1 T").derive()
    assert soa.expr("x: joint force\nMass^-1 x").simplify().type
    with pytest.raises(soa.Error) as error:
        soa.expr("Mass T +")
    assert error.value.line == 1 and error.value.column > 0


def test_proofs():
    p = soa.prove("Mass^-1 = (I - H psi K)' D^-1 (I - H psi K)")
    assert p and p.verdict == "proved" and p.steps and p.certificate()
    wrong = soa.prove("Mass = H phi M phi'" + " H' + Mass")
    assert not wrong and wrong.verdict == "refuted"
