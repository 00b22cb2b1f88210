"""soa: the Spatial Operator Algebra. Dynamics of robots, spacecraft and mechanisms in O(N).

    import soa
    arm = soa.load("robot.urdf")                 # or soa.builtin("arm7"), soa.Builder()
    tau = arm.inverse_dynamics(q, v, vdot)       # one state: shape (nv,); many: (states, nv)
    soa.expr("Mass^-1 (T - C)").on(arm)(q=q, beta=v, T=tau)
    soa.simulate("scenario.yaml").plot("q.elbow")

SI units. Numbers are float64; other arrays are converted. What is wrong raises soa.Error.
"""
from . import _soa
from ._arrays import real_array
from ._errors import Error, FileError, NotFoundError, make_error

_soa.set_calls(make_error, real_array)

from .builder import Builder  # noqa: E402
from .language import Expression, Proof, expr, prove  # noqa: E402
from .model import Closures, Model, System, builtin, builtins, discrete, load, loads  # noqa: E402
from .simulation import Result, Simulation, simulate  # noqa: E402

__version__ = _soa.version
__all__ = ["Builder", "Closures", "Error", "Expression", "FileError", "Model", "NotFoundError", "Proof", "Result",
           "Simulation", "System", "builtin", "builtins", "discrete", "expr", "load", "loads", "prove", "simulate"]
