#!/usr/bin/env python3
"""What a call from Python costs beside one from C: forward dynamics of arm7. Usage: bench/python.py PROGRAM

PROGRAM is bench/calls.c, built. The two are measured in turn, so that what disturbs the machine disturbs both; times are
those of the processor, and medians."""
import statistics
import subprocess
import sys
import time

import numpy as np

import soa

ROUNDS, CALLS, STATES = 9, 20000, 1_000_000


def one(model, arrays, out):
    call, (q, v, T) = model.forward_dynamics, arrays
    began = time.thread_time_ns()
    for _ in range(CALLS):
        call(q, v, T, out=out)
    return (time.thread_time_ns() - began) / CALLS


def million(model, arrays, out):
    began = time.thread_time_ns()
    model.forward_dynamics(*arrays, out=out)
    return (time.thread_time_ns() - began) / STATES


def main():
    arm = soa.builtin("arm7")
    q, v = arm.random(STATES)
    many = (q, v, np.zeros((STATES, arm.nv)))
    single = tuple(np.ascontiguousarray(a[0]) for a in many)
    out_many, out_single = np.zeros((STATES, arm.nv)), np.zeros(arm.nv)
    rows = []
    one(arm, single, out_single), million(arm, many, out_many)
    for _ in range(ROUNDS):
        c = [float(x) for x in subprocess.run(sys.argv[1], check=True, capture_output=True, text=True).stdout.split()]
        rows.append(c + [one(arm, single, out_single), million(arm, many, out_many)])
    c_one, c_many, p_one, p_many = (statistics.median(column) for column in zip(*rows))
    overhead = statistics.median(row[2] - row[0] for row in rows)
    ratio = statistics.median(row[3] / row[1] for row in rows)
    print("forward dynamics of arm7    from C      from Python")
    print(f"  one state per call     {c_one:7.0f} ns   {p_one:7.0f} ns   {overhead:+.0f} ns a call")
    print(f"  a million states       {c_many:7.1f} ns   {p_many:7.1f} ns   {100 * (ratio - 1):+.1f} %")


main()
