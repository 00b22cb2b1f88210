"""Every function of the headers is reachable from Python, or stands in a list with the reason why it need not be."""
import ast
import os
import re
from pathlib import Path

import soa
from soa import _soa

INCLUDE = Path(os.environ["SOA_SOURCE"]) / "include" / "soa"

# Made, freed and set up by the objects themselves; layouts and lanes are the binding's; texts of statuses and kinds come
# with what has them; what NumPy does.
REASONS = {
    "memory, threads and layout are the binding's": r"soa_(\w+_(new|free)|text_free|program_text_free|batch_\w+|"
    r"workspace_\w+|allocator_default|error_clear|error_message|error_caret|printable|cpu_features|runner_set_lanes|closures_(set_)?lanes|"
    r"sim_saved_size|closures_reserve_derivatives|\w+_default)",
    "texts of kinds come with what has them": r"soa_\w+_(text|find|meaning|rows|sizes|coordinates|nq|nv|adaptive|outside|about|"
    r"at_joint|pair|name|label)",
    "poses and inertias are arrays: NumPy computes them": r"soa_(pose|inertia)_\w+",
    "a file or Builder describes it": r"soa_builder_\w+|soa_closure_(add|add_coupling|get|set_slip)|soa_series_at|soa_path_at|soa_height_field_at|"
    r"soa_flexible_(beam|plate|reduce|frequencies|write|save)|soa_fe_load",
    "a scenario describes it": r"soa_forces_\w+|soa_sim_advance_all|soa_sim_(closures|forces|save|restore)|soa_scenario_\w+",
    "NumPy reads CSV files": r"soa_recording_\w+",
    "one state taken apart in steps, for C programs": r"soa_partition_\w+|soa_grasp_forward_dynamics",
}

# Where the others are, when not under their own name without its prefix.
PLACES = {
    "soa_load": "soa.load", "soa_load_text": "soa.loads", "soa_write": "Model._write", "soa_save": "Model.save",
    "soa_model_builtin": "soa.builtin", "soa_builtins": "soa.builtins", "soa_builtin_name": "soa.builtins",
    "soa_random_configuration": "Model.random", "soa_model_random_number": "Model.random",
    "soa_check_configuration": "Model.forward_dynamics", "soa_model_neutral": "Model.neutral",
    "soa_model_geometries": "Model.to_yaml", "soa_model_geometry": "Model.to_yaml",
    "soa_model_coupling": "Model.to_yaml", "soa_model_couplings": "Model._sizes",
    "soa_model_link": "Model.links", "soa_model_frame": "Model.frames", "soa_model_closure": "Model._names",
    "soa_model_configuration": "Model.configurations", "soa_model_warning": "Model.warnings",
    "soa_model_body": "Model.links", "soa_model_link_body": "Model.links", "soa_model_joint_body": "Model.links",
    "soa_model_find_body": "Model._joint",
    "soa_articulated_stride": "Model.articulated_rates", "soa_christoffel_size": "Model.christoffel_packed", "soa_christoffel_index": "Model.christoffel",
    "soa_model_find_link": "Model.links", "soa_model_find_joint": "Model._joint", "soa_model_find_frame": "Model.jacobian",
    "soa_model_find_point": "Model.jacobian",
    "soa_couple": "Closures.project", "soa_operators_set": "Model.apply", "soa_operators_apply": "Model.apply",
    "soa_operator_cols": "Model.apply", "soa_operators_set_constraints": "soa.expr",
    "soa_dense_operator": "Model.operator", "soa_identities": "Model.check", "soa_check_identities": "Model.check",
    "soa_check_equation": "soa.prove", "soa_closures_systems": "Closures.list", "soa_closures_count": "Closures.list",
    "soa_closure_enabled": "Closures.list", "soa_closure_first_row": "Closures.list",
    "soa_closure_multipliers": "Closures.forward_dynamics", "soa_system_closures": "System.list",
    "soa_system_forces": "System.joint_forces", "soa_system_set": "System.forward_dynamics",
    "soa_system_dofs": "System.independent", "soa_closed_linear_model": "System.linear_model",
    "soa_linear_exponential": "soa.discrete", "soa_linear_discrete": "soa.discrete", "soa_version": "soa.__version__",
    "soa_closed_forward_dynamics_derivatives": "System.linear_model", "soa_grasp_split": "Closures.grasp_split",
    "soa_grasp_balance": "Closures.grasp_balance", "soa_compile": "Expression.on", "soa_compiled_inputs": "Bound.inputs",
    "soa_compiled_outputs": "Bound.outputs", "soa_compiled_input_info": "Bound.inputs",
    "soa_compiled_output_info": "Bound.outputs", "soa_compiled_sweeps": "Bound.__call__",
    "soa_compiled_sweeps_written": "Bound.__call__", "soa_runner_numbers": "Bound.__call__",
    "soa_runner_bind": "Bound.__call__", "soa_runner_bind_output": "Bound.__call__", "soa_runner_run": "Bound.__call__",
    "soa_runner_set_constraints": "Bound.__call__", "soa_program_read": "soa.expr",
    "soa_program_statements": "soa.expr", "soa_program_statement": "soa.expr", "soa_program_print": "Expression.print",
    "soa_program_explain": "Expression.explain", "soa_program_limit": "soa.prove", "soa_program_prove": "soa.prove",
    "soa_closure_points": "Closures.jacobian", "soa_closure_operator": "Closures.jacobian",
    "soa_program_simplify": "Expression.simplify", "soa_program_derive": "Expression.derive", "soa_program_certificate": "Proof.certificate",
    "soa_sim_advance": "Simulation.advance", "soa_sim_step": "Simulation.step", "soa_sim_time": "Simulation.time",
    "soa_sim_stopped": "Simulation.advance", "soa_sim_q": "Simulation.state", "soa_sim_v": "Simulation.state",
    "soa_sim_signals": "Simulation.values", "soa_sim_signal_values": "Simulation.values",
    "soa_sim_report_get": "Simulation.report", "soa_sim_sensors": "Simulation.sensors",
    "soa_sim_sensor": "Simulation.sensors", "soa_sensor_kind_channels": "Simulation.sensors",
}

PREFIXES = ["soa_model_", "soa_closures_", "soa_closure_", "soa_closed_", "soa_system_", "soa_program_", "soa_sim_", "soa_"]


def functions():
    for header in sorted(INCLUDE.glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        text = re.sub(r"#define(?:[^\n]*\\\n)*[^\n]*\n", "", text)
        yield from re.findall(r"SOA_API [^;()]*?\b(soa_\w+)\(", text)


def has(place):
    thing = soa
    for part in place.replace("soa.", "").split("."):
        thing = getattr(soa.language, part, None) if part == "Bound" else getattr(thing, part, None)
    return thing is not None


def reachable(function):
    if function in PLACES:
        return has(PLACES[function])
    if any(re.fullmatch(pattern, function) for pattern in REASONS.values()):
        return True
    owners = [soa.Model, soa.Closures, soa.System, soa.Expression, soa.Simulation, soa]
    return any(hasattr(owner, function[len(p):]) for p in PREFIXES if function.startswith(p) for owner in owners)


def test_every_function_is_reachable():
    names = list(functions())
    assert len(names) > 300
    missing = [name for name in names if not reachable(name)]
    assert not missing, missing


def test_every_listed_function_has_its_documentation():
    text = (INCLUDE / "batch.h").read_text() + (INCLUDE / "sens_batch.h").read_text()
    for name in re.findall(r"#define SOA_BATCH_(\w+)\(ARG", text):
        doc = getattr(_soa.Model, name).__doc__
        assert doc and f"soa_{name}" in doc and "SI units" in doc, name


def test_the_stubs_name_what_the_extension_has():
    tree = ast.parse((Path(_soa.__file__).parent / "_soa.pyi").read_text())
    said = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    things = {name for name in dir(_soa) if not name.startswith("__") and name != "version"}
    assert things == set(said)
    for name in things:
        if isinstance(said[name], ast.ClassDef):
            own = {n for n in vars(getattr(_soa, name)) if not n.startswith("__")}
            assert own == {f.name for f in said[name].body if not f.name.startswith("__")}, name
