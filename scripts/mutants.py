#!/usr/bin/python3
"""Mutation: changes one operator, constant, condition or call of src/ at a time and runs the tests until one fails.

All chosen changes are compiled at once into a copy of the tree, WORK/tree: `a + b` becomes `soa_mutant(17) ? a - b :
a + b`, and the variable SOA_MUTANT tells a program which of them to make. Every test runs first without a change and
notes which changes it reaches. A change is judged by the tests that reach it, likely and quick ones first: it is killed
if one fails, crashes, or takes longer than 5 s and 5 times its own time. What no test reaches is not seen either. An index
beyond an array of known size is a crash, as it is for `make asan`.

A kernel is compiled once for each kind of processor. A change of one that survives the tests as on this processor, and
any change that they do not reach, is judged as on others too (SOA_TEST_PROCESSOR), by the tests labelled processor.

Tests that fail without a change are left out. Those that take longer than LONGEST (20) seconds of processor time run
only if no other test reaches some change. The tests of a change take PATIENCE (60) seconds at most: the line of a
survivor says how many were not run. JOBS (2): tests at once. TESTS: a regular expression of how their names begin.
WORK keeps how long tests take and which have killed what, so that later runs are quicker.
DRAW=places: more places of larger folders; otherwise as many of each. Several runs at once need a WORK folder each.

Usage: scripts/mutants.py [N [SEED [FOLDER...]]]       N mutants (default 20) of src/FOLDER (default: all)
       scripts/mutants.py FILE:LINE:COLUMN:OLD:NEW...  these mutants, as the output writes them
"""
import collections, json, multiprocessing, os, pathlib, random, re, shutil, subprocess, sys, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor, as_completed
import clang.cindex
from clang.cindex import CursorKind as Kind, TypeKind

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / os.environ.get("WORK", "build-mutants")
TREE = WORK / "tree"
BUILD = TREE / "build"
PAST = WORK / "past.json"
JOBS = int(os.environ.get("JOBS", 2))
LONGEST = float(os.environ.get("LONGEST", 20))
PATIENCE = float(os.environ.get("PATIENCE", 60))
MEMORY = 1 << 33  # bytes that a process may have, or write to a file: some changes never end
UNIT = re.compile(r"_(x[0-9]\w*|dual)\.c$")

# How a change is written: what stands before, instead of the operator or literal, and after. Operands are evaluated
# once and in order, and text is only put in between, so that places may stand in one another.
BINARY = ("({{ __auto_type a{n} = (", "); __auto_type b{n} = (",
          "); soa_mutant({n}) ? a{n} {new} b{n} : a{n} {old} b{n}; }})")
ASSIGN = ("({{ __auto_type a{n} = &(", "); __auto_type b{n} = (",
          "); soa_mutant({n}) ? (*a{n} {new} b{n}) : (*a{n} {old} b{n}); }})")
AND = "({{ const int a{n} = !!(", "); a{n} != soa_mutant({n}) ? !!(", ") : a{n}; }})"
OR = "({{ const int a{n} = !!(", "); a{n} == soa_mutant({n}) ? !!(", ") : a{n}; }})"
LITERAL = "", "(soa_mutant({n}) ? {new} : {old})", ""
CONDITION = "soa_mutant({n}) != !!(", "", ")"
CALL = "(soa_mutant({n}) ? (void)0 : (void)(", "", "))"
RULES = {
    "&&": ("||", AND), "||": ("&&", OR), "+": ("-", BINARY), "-": ("+", BINARY), "*": ("+", BINARY),
    "<": ("<=", BINARY), "<=": ("<", BINARY), ">": (">=", BINARY), ">=": (">", BINARY), "==": ("!=", BINARY),
    "!=": ("==", BINARY), "+=": ("-=", ASSIGN), "-=": ("+=", ASSIGN), "1.0": ("2.0", LITERAL), "0.5": ("0.25", LITERAL),
    "true": ("false", LITERAL), "false": ("true", LITERAL), "0": ("1", LITERAL), "1": ("2", LITERAL),
    "if": ("if not", CONDITION), "call": ("none", CALL)}
# Which children are statements, and what has to be constant (CXX_UNARY_EXPR is sizeof).
ALL, LAST = slice(None), slice(-1, None)
BODIES = {Kind.COMPOUND_STMT: ALL, Kind.DEFAULT_STMT: ALL, Kind.IF_STMT: slice(1, None), Kind.DO_STMT: slice(1),
          Kind.FOR_STMT: LAST, Kind.WHILE_STMT: LAST, Kind.CASE_STMT: LAST}
CONSTANT = Kind.ENUM_DECL, Kind.STRUCT_DECL, Kind.TYPEDEF_DECL, Kind.STATIC_ASSERT, Kind.CXX_UNARY_EXPR
POINTERS = TypeKind.POINTER, TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY

HEADER = """#ifdef __cplusplus
#define __auto_type auto
#endif
extern int soa_mutant_now; /* 0: none; below 0: notes which are reached */
extern unsigned char *soa_mutant_seen;
static inline int soa_mutant(int n)
{
    return __builtin_expect(soa_mutant_now != 0, 0)
        && (soa_mutant_now == n || (soa_mutant_now < 0 && (soa_mutant_seen[n] = 1, 0)));
}
"""
SEEN = 1 << 20  # bytes of the map, which all processes of a test share
SOURCE = """#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int soa_mutant_now;
unsigned char *soa_mutant_seen;
__attribute__((constructor)) static void begin(void)
{
    const char *now = getenv("SOA_MUTANT"), *seen = getenv("SOA_MUTANT_SEEN");
    soa_mutant_now = now ? atoi(now) : 0;
    if (seen) {
        const int file = open(seen, O_RDWR);
        soa_mutant_seen = mmap(NULL, %d, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        soa_mutant_now = soa_mutant_seen == MAP_FAILED ? 0 : -1;
        close(file); /* it may have the number of an output that a test has closed */
    }
}
""" % SEEN

# edits: (offset, rank at it, depth, length of what is replaced, text)
Place = collections.namedtuple("Place", "name path first last old function kernel edits")
Test = collections.namedtuple("Test", "name command env folder good bad skip processor lock")


class Unit:
    """The places of a unit of compilation: of a header, each function once for each kind of unit."""
    visited = set()

    def __init__(self, command):
        file = command["file"].replace(str(TREE), str(ROOT))
        options = [word for word in command["command"].replace(str(TREE), str(ROOT)).split()
                   if re.match("-[ID]|-std|-mavx|-mfma", word)]
        unit = clang.cindex.Index.create().parse(file, options, options=1)  # 1: with macros
        if any(message.severity > 2 for message in unit.diagnostics):
            sys.exit(f"mutants: {[str(message) for message in unit.diagnostics]}")
        self.kind, self.places, tops = UNIT.search(file), {}, list(unit.cursor.get_children())
        macros = collections.defaultdict(list)
        for top in tops:
            if top.kind == Kind.MACRO_INSTANTIATION and top.location.file:
                macros[top.location.file.name].append((top.extent.start.offset, top.extent.end.offset))
        for top in tops:
            if top.kind == Kind.FUNCTION_DECL and top.is_definition():
                self.enter(top, macros[top.location.file.name])

    def enter(self, function, macros):
        file, start, end = function.location.file.name, function.extent.start.offset, function.extent.end.offset
        key = file, start, self.kind and self.kind.group()
        if file.startswith(f"{ROOT}/src/") and key not in self.visited:
            self.visited.add(key)
            self.path, self.function = os.path.relpath(file, ROOT), function.spelling
            self.text = pathlib.Path(file).read_bytes()
            self.macros = [(a, b) for a, b in macros if start <= a < end]
            self.walk([child for child in function.get_children() if child.kind == Kind.COMPOUND_STMT][0], 0)

    def walk(self, node, depth):
        kind, children, start = node.kind, list(node.get_children()), node.extent.start.offset
        if kind in CONSTANT or kind == Kind.VAR_DECL and node.storage_class == clang.cindex.StorageClass.STATIC:
            return
        if kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR):
            self.operator(*children, depth)
        elif kind in (Kind.INTEGER_LITERAL, Kind.FLOATING_LITERAL):
            self.add(re.match(rb"[\w.]*", self.text[start:]).group().decode(), node, node, start, depth)
        elif kind == Kind.IF_STMT:
            self.add("if", children[0], children[0], start, depth)
        elif kind == Kind.VAR_DECL:  # what stands behind '=', not the size of an array
            children = [one for one in children if b"=" in self.text[node.location.offset:one.extent.start.offset]]
        for child in children[BODIES.get(kind, slice(0))]:
            cast = child.get_children() if child.kind == Kind.CSTYLE_CAST_EXPR else ()
            if any(one.kind == Kind.CALL_EXPR for one in (child, *cast)):
                self.add("call", child, child, child.extent.start.offset, depth + 1)
        for child in children[kind == Kind.CASE_STMT:]:
            self.walk(child, depth + 2)

    def operator(self, left, right, depth):
        begin, end = left.extent.end.offset, right.extent.start.offset
        space = rb"(?:\s|/\*.*?\*/)*"
        found = re.fullmatch(space + rb"([-+*<>=!&|]+)" + space, self.text[begin:end], re.S)
        old = found.group(1).decode() if found else ""
        if found and (old not in "+-" or right.type.get_canonical().kind not in POINTERS):  # no pointer + pointer
            self.add(old, left, right, begin + found.start(1), depth)

    def add(self, old, first, last, at, depth):
        """The change at an offset, in an expression from first to last. Outer texts stand outside of inner ones."""
        start, end = first.extent.start.offset, last.extent.end.offset
        if old not in RULES or any(a < start < b or a < end < b or a <= at < b and (a, b) != (at, at + len(old))
                                   for a, b in self.macros):  # true and false are macros themselves
            return
        line = lambda offset: self.text.count(b"\n", 0, offset) + 1
        new, (before, instead, after) = RULES[old]
        edits = [(end, 0, -depth, 0, after), (start, 1, depth, 0, before), (at, 2, 0, len(old), instead)]
        name = f"{self.path}:{line(at)}:{at - self.text.rfind(bytes([10]), 0, at)}:{old}:{new}"
        self.places[name] = Place(name, self.path, line(start), line(end), old, self.function, bool(self.kind),
                                  [edit for edit in edits if edit[4]])


def places_of(command):
    return Unit(command).places


def all_places(commands):
    places = {}
    with multiprocessing.Pool(JOBS) as pool:
        for found in pool.imap_unordered(places_of, commands):
            for name, place in found.items():
                places[name] = place._replace(kernel=place.kernel or name in places and places[name].kernel)
    return places


def choose(arguments, places):
    """Number -> place."""
    if arguments and ":" in arguments[0]:
        chosen = [places[name] for name in arguments if name in places or print("there is no", name)]
        return dict(enumerate(chosen, 1))
    count, seed = int(arguments[0]) if arguments else 20, int(arguments[1]) if len(arguments) > 1 else 1
    chance, chosen, by_folder = random.Random(seed), [], collections.defaultdict(list)
    for name in sorted(places):
        by_folder[name.split("/")[1]].append(places[name])
    folders = arguments[2:] or sorted(by_folder)
    weights = [len(by_folder[folder]) if os.environ.get("DRAW") == "places" else 1 for folder in folders]
    part = lambda number: count * sum(weights[:number]) // sum(weights)
    for number, folder in enumerate(folders):
        chosen += chance.sample(by_folder[folder], min(part(number + 1) - part(number), len(by_folder[folder])))
    chance.shuffle(chosen)  # so that a part of the list is of all folders
    return dict(enumerate(chosen, 1))


def run(*command):
    return subprocess.run(command, cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")


def write(path, text):
    """Unless it is so already: what stays is not compiled again."""
    if not (path.is_file() and path.read_bytes() == text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def configure():
    """The copy of the tree, and the commands that compile its src."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    files = {name for name in names if (ROOT / name).is_file()}
    for name in files:
        if not (name.startswith("src/") and (TREE / name).is_file()):
            write(TREE / name, (ROOT / name).read_bytes())
            shutil.copymode(ROOT / name, TREE / name)
    for copy in (copy for top in ("src", "tests", "include", "tools", "examples") for copy in (TREE / top).rglob("*")):
        if copy.is_file() and str(copy.relative_to(TREE)) not in files:
            copy.unlink()
    write(WORK / "mutant.h", HEADER.encode())
    write(TREE / "src/core/mutant.c", SOURCE.encode())
    BUILD.mkdir(exist_ok=True)
    robots = os.environ.get("SOA_ROBOTS", f"{ROOT}/../shared/robots")
    flags = f"-O1 -DNDEBUG -w -fsanitize=bounds -fsanitize-undefined-trap-on-error -include {WORK}/mutant.h"
    options = ["-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_C_FLAGS_RELEASE={flags}",
               "-DSOA_PYTHON=OFF", "-DSOA_MODULES=OFF", f"-DSOA_SOURCE={ROOT}", f"-DSOA_ROBOTS={robots}",
               "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    if shutil.which("ld.gold"):
        options.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold")
    done = run("cmake", "-G", "Ninja", *options, str(TREE))
    if done.returncode:
        sys.exit(f"mutants: {done.stdout}")
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    return [one for one in commands if re.match(rf"{re.escape(str(TREE))}/src/(?!core/mutant\.c)", one["file"])]


def instrument(chosen):
    """Writes src with these changes."""
    edits = collections.defaultdict(list)
    for n, place in chosen.items():
        edits[place.path] += [(*edit[:4], edit[4].format(n=n, old=place.old, new=RULES[place.old][0]))
                              for edit in place.edits]
    for file in (file for file in (ROOT / "src").rglob("*") if file.is_file()):
        path, at, pieces, text = str(file.relative_to(ROOT)), 0, [], file.read_bytes()
        for offset, _, _, length, piece in sorted(edits[path], key=lambda edit: edit[:3]):
            pieces += [text[at:offset], piece.encode()]
            at = offset + length
        write(TREE / path, b"".join(pieces) + text[at:])


def build(chosen, commands):
    """Compiles, first the grammar alone. Returns the numbers of places on lines that the compiler complains about: they
    are taken out."""
    refused, pool = [], ThreadPoolExecutor(JOBS)
    parse = lambda one: run("sh", "-c", f"{one['command'].replace('ccache ', '')} -fsyntax-only").stdout

    def make():
        done = run("ninja", "-k", "0", f"-j{JOBS}")
        return done.stdout + ("FAILED" if done.returncode else "")

    for step in lambda: "".join(pool.map(parse, commands)), make:
        new = True
        while new:
            instrument({n: place for n, place in chosen.items() if n not in refused})
            said = step()
            wrong = {(os.path.relpath(BUILD / file, TREE), int(line)) for file, line in
                     re.findall(r"^([^\s:]+):(\d+):\d+: error", said, re.M) +
                     re.findall(r"inlined from .* at ([^\s:]+):(\d+)", said)}
            new = [n for n, place in chosen.items() if n not in refused
                   and any(place.path == file and place.first <= line <= place.last for file, line in wrong)]
            refused += new
    if "FAILED" in said:
        sys.exit(f"mutants: the tree does not build\n{said}")
    return refused


def list_tests():
    tests = run("ctest", "--show-only=json-v1", "-R", f"^({os.environ.get('TESTS', '')})").stdout
    for test in json.loads(tests)["tests"]:
        has = collections.defaultdict(list, {prop["name"]: prop["value"] for prop in test["properties"]})
        writes = any(str(BUILD) in word for word in test["command"][1:])  # in a folder of its own: one at a time
        yield Test(test["name"], test["command"], dict(pair.split("=", 1) for pair in has["ENVIRONMENT"]),
                   has["WORKING_DIRECTORY"] if "examples" in has["WORKING_DIRECTORY"] else None,
                   has["PASS_REGULAR_EXPRESSION"], has["FAIL_REGULAR_EXPRESSION"], has["SKIP_RETURN_CODE"],
                   "processor" in has["LABELS"], threading.Lock() if writes else None)


def passes(test, seconds, **env):
    """Whether the test passes, and its processor time, of which each of its processes has so many seconds."""
    if test.lock:
        with test.lock:
            return passes(test._replace(lock=None), seconds, **env)
    command = ["timeout", "-s", "KILL", str(60 + 5 * seconds), "prlimit", f"--cpu={int(seconds)}", f"--as={MEMORY}",
               f"--fsize={MEMORY}", "--core=0", *test.command]
    with tempfile.TemporaryDirectory(dir=WORK, ignore_cleanup_errors=True) as folder, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, cwd=test.folder or folder, stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=said, env={**os.environ, **test.env, "TMPDIR": folder, **env})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # it has been waited for
        good = process.returncode in (0, test.skip)
        if test.good or test.bad:
            said.seek(0)
            shows = lambda words, text=said.read().decode(errors="replace"): any(re.search(one, text) for one in words)
            good = (shows(test.good) if test.good else good) and not shows(test.bad)
    return good, used.ru_utime + used.ru_stime


def reach(test, profile, chosen):
    """A test without a change: whether it passes, its time, and the changes that it reaches."""
    with tempfile.NamedTemporaryFile(dir=WORK) as seen:
        seen.truncate(SEEN)
        good, used = passes(test, 1800, **profile, SOA_MUTANT_SEEN=seen.name)
        marks = seen.read()
        return good, used, {n for n in chosen if marks[n]}


def judge(n, place, tests, profile, seen, kills):
    """killed, survived or not reached; by which test, or how many were not run."""
    reached = [name for name in seen if n in seen[name][2]]
    useful = [name for name in reached if seen[name][1] <= LONGEST] or reached
    near = place.function, place.path, place.path.split("/")[1]
    weight = lambda name: 1 + 10 * name.startswith(f"{near[2]}-") + sum(
        points * kills[where, name] for points, where in zip((50, 10, 2), near))
    left, spent = sorted(useful, key=lambda name: (seen[name][1] + 0.05) / weight(name)), 0
    while left and (spent == 0 or spent + seen[left[0]][1] <= PATIENCE):
        name = left.pop(0)
        good, used = passes(tests[name], 5 + 5 * seen[name][1], **profile, SOA_MUTANT=str(n))
        spent += used
        if not good:
            kills.update((where, name) for where in near)
            return "killed", " ".join([name, *profile.values()])
    return ("survived" if reached else "not reached"), f"  [{len(left)} of {len(useful)} tests not run]" if left else ""


def load_past():
    """Of earlier runs: how often which test has killed a change of which function, file or folder; seconds of the tests."""
    past = json.loads(PAST.read_text()) if PAST.is_file() else {"kills": [], "seconds": {}}
    return collections.Counter({(where, name): number for where, name, number in past["kills"]}), past["seconds"]


def judge_all(chosen, tests, tell, report):
    """Stage after stage: changes of kernels that survive, and all that are not reached, come to the next one."""
    (kills, seconds), results, seen, pool = load_past(), {}, {}, ThreadPoolExecutor(JOBS)
    reached = collections.defaultdict(set)  # test -> changes

    def names(profile, slow):
        """The tests of a stage. As on another processor: what is quick, and what has reached a change before."""
        for name in tests:
            takes = seconds.get(name, 0.0)
            if profile:
                if tests[name].processor and (takes <= LONGEST / 10 or takes <= LONGEST and reached[name] & chosen.keys()):
                    yield name
            elif slow == (takes > LONGEST) and name not in reached:
                yield name

    for profile, slow in (({}, False), ({}, True), ({"SOA_TEST_PROCESSOR": "plain"}, False),
                          ({"SOA_TEST_PROCESSOR": "avx2"}, False)):
        if slow and all(results[n][0] != "not reached" for n in chosen) or not chosen:
            continue
        run_now = list(names(profile, slow))
        seen = dict(zip(run_now, pool.map(lambda name: reach(tests[name], profile, chosen), run_now)))
        for name in run_now if not profile else ():
            seconds[name], reached[name] = seen[name][1:]
        tell(*profile.values(), f"{len(run_now)} tests, {sum(one[1] for one in seen.values()):.0f} s of processor time;",
             "left out as they fail:", ", ".join(name for name in run_now if not seen[name][0]) or "none")
        seen = {name: one for name, one in seen.items() if one[0]}
        asked = {pool.submit(judge, n, chosen[n], tests, profile, seen, kills): n for n in chosen}
        for done in as_completed(asked):
            n, result = asked[done], done.result()
            if n not in results or result[0] != "not reached":
                results[n] = result
            if result[0] == "killed" or result[0] == "survived" and not chosen[n].kernel:
                report(chosen.pop(n), *result)
            else:
                print(f"  so far {result[0]}: {chosen[n].name}", flush=True)
    for n, place in chosen.items():
        report(place, *results[n])
    PAST.write_text(json.dumps({"kills": [[*key, number] for key, number in kills.items()], "seconds": seconds}))


def table(count):
    print("| folder | killed | of | share | not reached | refused by the compiler |\n|---|---|---|---|---|---|")
    for folder, of in sorted(count.items(), key=lambda item: (item[0] == "all", item[0])):
        tried = of["killed"] + of["survived"] + of["not reached"]
        share = 100 * of["killed"] / max(tried, 1)
        print(f"| {folder} | {of['killed']} | {tried} | {share:.0f} % | {of['not reached']} | {of['refused']} |")


def main():
    begin, count = time.monotonic(), collections.defaultdict(collections.Counter)

    def tell(*words):
        print(f"# {time.monotonic() - begin:.0f} s:", *words, flush=True)

    def report(place, result, why):
        line = (ROOT / place.path).read_text().split("\n")[int(place.name.split(":")[1]) - 1].strip()
        print(f"{result:11} {place.name}  {why if result == 'killed' else line + why}", flush=True)
        count[place.path.split("/")[1]][result] += 1
        count["all"][result] += 1

    commands = configure()
    places = all_places(commands)
    chosen = choose(sys.argv[1:], places)
    tell(f"{len(chosen)} of {len(places)} places")
    refused = build(chosen, commands)
    for n in refused:
        report(chosen.pop(n), "refused", "")
    tell("built")
    judge_all(chosen, {test.name: test for test in list_tests()}, tell, report)
    tell("done")
    table(count)


if __name__ == "__main__":
    main()
