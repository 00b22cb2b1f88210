#!/usr/bin/env python3
"""Runs the tests of a coverage build and prints how many lines and branches of src/ and tools/ they ran.

Usage: scripts/coverage.py BUILD [JOBS [TESTS]]     TESTS: a regular expression; tests that ran before keep counting

A branch is a condition of the source and one of its two outcomes. It counts once, however often the compiler has copied it:
of a kernel, which every unit has for itself, a line or branch was run if any unit ran it. Conditions of constants do not count.
BUILD/uncovered.txt lists what was not run, with T or F for the outcome of the condition that is missing.
Tests that let memory or files end may fail here, since what counts needs both."""
import collections
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONSTANT = re.compile(r"[A-Z0-9_\s=<>!&|()+*/-]+|sizeof.*")
NO_CODE = re.compile(r"\s*([{}();]*|/\*.*|\*.*|//.*|else \{|\} else \{|default:|case \w+:|break;|#.*)\s*")


def run_tests(build, jobs, tests):
    profiles = os.path.join(build, "profiles")
    if tests is None:
        for old in glob.glob(profiles + "/*.profraw"):
            os.remove(old)
    command = ["ctest", "--test-dir", build, "--parallel", jobs, "--output-on-failure", "--no-label-summary"]
    environment = dict(os.environ, LLVM_PROFILE_FILE=os.path.abspath(profiles) + "/%2m.profraw")
    subprocess.run(command + (["-R", tests] if tests else []), env=environment)
    for processor in "plain", "avx2":  # a few tests are enough to see which units are chosen
        subprocess.run(command + ["-R", "lanes|many_states"], env=dict(environment, SOA_TEST_PROCESSOR=processor))


def export(build):
    """What llvm-cov knows of the files, from the object files of the libraries, of the program and of the tests."""
    merged = os.path.join(build, "all.profdata")
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", merged] + glob.glob(build + "/profiles/*.profraw"), check=True)
    objects = [o for folder in ("CMakeFiles/soa*.dir", "tests") for o in glob.glob(f"{build}/{folder}/**/*.o", recursive=True)]
    command = ["llvm-cov", "export", "-skip-functions", "-instr-profile", merged, objects[0]]
    for name in objects[1:]:
        command += ["-object", name]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["data"][0]["files"]


def line_counts(segments, text):
    """line -> how often it ran, by the segments [line, column, count, has_count, is_entry, is_gap] in order."""
    by_line = collections.defaultdict(list)
    for segment in segments:
        by_line[segment[0]].append(segment)
    counts, wrapped = {}, None
    for number, line in enumerate(text, 1):
        here = by_line.get(number, [])
        entries = [s[2] for s in here if s[3] and s[4] and not s[5]]
        skipped = here and not here[0][3] and here[0][4]
        if not skipped and (entries or (wrapped and wrapped[3])) and not NO_CODE.fullmatch(line):
            counts[number] = max(entries + ([wrapped[2]] if wrapped else []))
        wrapped = here[-1] if here else wrapped
    return counts


def branch_counts(branches, text):
    """(line, column, T or F) -> [count, text of the condition], over all copies of the condition."""
    counts = {}
    for line, column, last, end, true, false, *_ in branches:
        condition = " ".join([text[line - 1][column - 1 :], *text[line:last]]) if last > line else text[line - 1][column - 1 : end - 1]
        if not CONSTANT.fullmatch(condition):
            for outcome, count in ("T", true), ("F", false):
                counts.setdefault((line, column, outcome), [0, condition.strip()])[0] += count
    return counts


def row(name, lines, ran, branches, taken):
    part = lambda a, b: 100 * a / b if b else 100
    return f"{part(ran, lines):6.1f}% {ran:6d}/{lines:<6d} {part(taken, branches):6.1f}% {taken:6d}/{branches:<6d} {name}"


def report(build):
    """The table; the same file may have several spellings of its path."""
    lines, branches, text = collections.defaultdict(collections.Counter), collections.defaultdict(dict), {}
    for file in export(build):
        name = os.path.relpath(file["filename"], ROOT)
        if name.startswith(("src/", "tools/")):
            text[name] = open(os.path.join(ROOT, name)).read().split("\n")
            lines[name].update(line_counts(file["segments"], text[name]))
            for key, (count, condition) in branch_counts(file["branches"], text[name]).items():
                branches[name][key] = (branches[name].get(key, (0,))[0] + count, condition)
    files, folders, total = {}, collections.defaultdict(lambda: [0] * 4), [0] * 4
    with open(os.path.join(build, "uncovered.txt"), "w") as out:
        for name in sorted(text):
            ran, taken = lines[name], branches[name]
            missing = [(k, text[name][k - 1].strip()) for k in ran if ran[k] == 0]
            missing += [(k[0], f"{k[2]} {b[1]}") for k, b in taken.items() if b[0] == 0 and ran.get(k[0], 1) > 0]
            out.writelines(f"{name}:{line}: {what}\n" for line, what in sorted(missing))
            files[name] = [len(ran), sum(c > 0 for c in ran.values()), len(taken), sum(b[0] > 0 for b in taken.values())]
            for group in [folders[os.path.dirname(name)]] + ([total] if name.startswith("src/") else []):
                group[:] = [a + b for a, b in zip(group, files[name])]
    for group in files, folders:
        print("lines, branches:")
        print("\n".join(sorted(row(name, *numbers) for name, numbers in group.items())))
    print(row("src", *total))


if __name__ == "__main__":
    build, jobs, tests = (sys.argv[1:] + ["2", None][len(sys.argv) - 2 :])[:3]
    run_tests(build, jobs, tests)
    report(build)
