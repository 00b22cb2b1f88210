#!/usr/bin/env python3
"""Mutation: changes one operator, constant or condition of src/ at a time and runs the tests until one fails.

Prints what survived and the share of killed mutants by folder. Works in a copy of the tree, build-mutants/tree, built
with -O1: units of kernels compile in half the time. Tests that killed before run first, then quick ones of the folder.

A kernel is compiled once for each kind of processor. A change of its header is compiled for plain processors first, and
the tests run as on such a processor; then for the most lanes that the processor has. If the code is still the same
because the change is inside '#if', all other units follow. A change that leaves the code of all units is no mutant.

Tests that fail without a change, or take longer than LONGEST (12) seconds of processor time, are left out. TESTS, a
regular expression of how their names begin, chooses others than those of the folder: what survives them may be seen by
the rest of the suite. Several runs at once need a WORK folder each (build-mutants).

Usage: scripts/mutants.py [N [SEED [FOLDER...]]]      N mutants (default 20), evenly of src/FOLDER (default: all)
       scripts/mutants.py FILE:LINE:COLUMN:OLD:NEW... these mutants, as the list of survivors writes them
"""
import collections, hashlib, json, os, pathlib, random, re, resource, shutil, signal, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / os.environ.get("WORK", "build-mutants")
TREE = WORK / "tree"
BUILD = TREE / "build"
RULES = [rule.split(":") for rule in (
    "&&:||;||:&&; + : - ; - : + ; < : <= ; <= : < ; > : >= ; >= : > ; == : != ; != : == ; * : + ;1.0:2.0;0.5:0.25;"
    "+= :-= ;-= :+= ;true:false;false:true").split(";")]
# The tests of a folder and of what stands on it: how their names begin; of other folders, those of their own name.
LOW = ("core|spatial|joint|model|dynamics-(armature|coupling|gears|inverse|kinematics|layouts|refusals)|closure-rows|"
       "flex-flexible_dynamics|io-(yaml|urdf|mjcf)|sim-together")
TESTS = {
    "core": LOW, "spatial": LOW, "joint": LOW, "model": LOW,
    "sweep": "dynamics|operator|bits|flex-flexible|expr-run",
    "dynamics": "dynamics|operator|bits|flex-flexible|house-odd",
    "operator": "operator|expr-(theory|run|recursions)|flex-flexible_operators",
    "closure": "closure|sens-closed|example|tools-closed",
    "flex": "flex|io-(fe|flexible)|tools-flex",
    "sens": "sens|flex-flexible_(sens|der)",
    "force": "force|system|sim|io-scenario",
    "system": "system|tools-(closed|reduced)|sim",
    "expr": "expr|tools-language",
    "sim": "sim|io-scenario|tools-sim|tools-sweep",
    "io": "io|tools-convert|tools-robots"}
if "TESTS" in os.environ:
    TESTS = dict.fromkeys(TESTS, os.environ["TESTS"])
LONGEST = float(os.environ.get("LONGEST", 12))  # seconds of processor time; slower tests are left out
MEMORY = 1 << 33  # bytes that a process may have, or write to a file: some changes never end
# A kernel is compiled into many units. Each stage: the objects compiled, the tests run, and the processor they run as.
UNIT = r"_x[0-9](_[a-z0-9]+)?\.c\.o$"
LANES = 8 if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() else 4
STAGES = [("/dynamics_x1.c.o$", "(spatial|joint|dynamics)-", "plain"),
          (rf"_x1\.c\.o$|^(?!.*{UNIT})", "", "plain"),
          (rf"_x{LANES}_fma\.c\.o$", "", "own"),
          ("", "", "own")]


def places(path):
    """FILE:LINE:COLUMN:OLD:NEW of all that can be changed; not in comments, strings and preprocessor lines."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    text = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', blank, (TREE / path).read_text(), flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r" *#|.*\\$", line):
            continue
        for old, new in RULES:
            for found in re.finditer(re.escape(old), line):
                if old != " * " or not re.fullmatch(r"[a-z_ ]*[a-z_]", line[:found.start()]):  # a product, no pointer
                    yield f"{path}:{number}:{found.start() + 1}:{old}:{new}"


def run(*command, seconds=3600, **env):
    """Whether the command succeeds, and its processor time, of which each of its processes has so many seconds."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MEMORY, MEMORY))

    process = subprocess.Popen(command, cwd=BUILD, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**os.environ, **env}, preexec_fn=limit)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status  # it has been waited for
    return status == 0, used.ru_utime + used.ru_stime


def said(*command):
    return subprocess.run(command, cwd=BUILD, check=True, capture_output=True, text=True).stdout


def prepare():
    """The copy of the tree, built."""
    TREE.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, names):
        source, copy = ROOT / name, TREE / name
        if source.is_file() and not (copy.is_file() and copy.read_bytes() == source.read_bytes()):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    for copy in (copy for top in ("src", "tests", "include", "tools", "examples") for copy in (TREE / top).rglob("*")):
        if copy.is_file() and not (ROOT / copy.relative_to(TREE)).is_file():
            copy.unlink()
    BUILD.mkdir(exist_ok=True)
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    robots = os.environ.get("SOA_ROBOTS", f"{ROOT}/../shared/robots")
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG", "-DSOA_PYTHON=OFF",
               "-DSOA_MODULES=OFF", f"-DSOA_SOURCE={ROOT}", f"-DSOA_ROBOTS={robots}"]
    if shutil.which("ld.gold"):
        options.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold")
    if not (run("cmake", "-G", "Ninja", *launcher, *options, str(TREE))[0] and run("ninja")[0]):
        sys.exit("mutants: the tree does not build")


def tests_of(folders):
    """Name -> targets of ninja."""
    wanted = "|".join(sorted({TESTS.get(folder, folder) for folder in folders}))
    tests = {}
    for test in json.loads(said("ctest", "--show-only=json-v1", "-R", f"^({wanted})"))["tests"]:
        words = test.get("command", []) + [value.partition("=")[2] for prop in test["properties"]
                                           if prop["name"] == "ENVIRONMENT" for value in prop["value"]]
        tests[test["name"]] = [os.path.relpath(word, BUILD) for word in words
                               if word.startswith(f"{BUILD}/") and os.path.isfile(word)]
    return tests


def users():
    """File of the tree -> the objects that include it."""
    objects, current = collections.defaultdict(list), None
    for line in said("ninja", "-t", "deps").split("\n"):
        if line.startswith("    "):
            objects[os.path.normpath(BUILD / line.strip())].append(current)
        elif ": #deps" in line:
            current = line.split(": #deps")[0]
    return objects


def code(objects):
    return [hashlib.sha256((BUILD / name).read_bytes()).hexdigest() for name in objects]


def rebuild(objects, also=()):
    """Compiles these objects anew, and also those when something needs them. The file of the mutant keeps its time,
    so that ninja compiles nothing else."""
    for name in (*objects, *also):
        (BUILD / name).unlink(missing_ok=True)
    return not objects or run("ninja", *objects)[0]


def passes(name, profile, seconds):
    """Whether the test passes. Notes its time if it is not known yet."""
    known = seconds.get(name, LONGEST)
    good, used = run("ctest", "-R", f"^{name}$", "--timeout", "900",
                     seconds=5 + 5 * known if name in seconds else LONGEST,
                     **({"SOA_TEST_PROCESSOR": profile} if profile != "own" else {}))
    if good:
        seconds.setdefault(name, used)
    return good


def failing(names, tests, profile, seconds):
    """The first of the tests that fails, or None. They are linked in groups: ninja takes longer than most tests."""
    size = 1
    while names:
        now, names, size = names[:size], names[size:], 4 * size
        targets = {target for name in now for target in tests[name]}
        if targets and not run("ninja", *targets)[0]:
            return now[0]
        for name in now:
            if not passes(name, profile, seconds):
                return name
    return None


def judge(objects, tests, order, seconds):
    """refused: by the compiler; same: the code of the library is the same; killed by a test; survived."""
    library = [name for name in objects if re.match(r"CMakeFiles/soa(_io)?\.dir/", name)]
    result, rest = "same", set(library)
    for pattern, names, profile in STAGES if any(re.search(UNIT, name) for name in library) else STAGES[-1:]:
        if not pattern and result == "survived":
            break
        chosen = [name for name in library if name in rest and re.search(pattern, name)]
        rest -= set(chosen)
        before = code(chosen)
        if not rebuild(chosen, set(objects) - set(library)):
            return "refused", ""
        if code(chosen) != before:
            result = "survived"
        elif not chosen or result == "same":
            continue
        found = failing([name for name in order if re.match(names, name)], tests, profile, seconds)
        if found:
            return "killed", (found, profile)
    return result, ""


def changed(file, place):
    """The text of the file with the change, or None if there is no such place."""
    _, line, column, old, new = place.split(":")
    lines, at = file.read_text().split("\n"), int(column) - 1
    row = lines[int(line) - 1] if int(line) <= len(lines) else ""
    lines[int(line) - 1:int(line)] = [row[:at] + new + row[at + len(old):]]
    return "\n".join(lines) if row[at:at + len(old)] == old else None


def mutant(place, objects, tests, kills, seconds):
    path, folder = place.split(":")[0], place.split("/")[1]
    file, wanted = TREE / path, re.compile(TESTS.get(folder, folder))
    useful = [name for name in tests if wanted.match(name) and seconds.get(name, 0) <= LONGEST]
    order = sorted(useful, key=lambda name: (
        -kills[path, name], -kills[folder, name], not name.startswith(f"{folder}-"), seconds.get(name, LONGEST)))
    kept, stamp, chosen, text = file.read_text(), file.stat(), objects[str(file)], changed(file, place)
    if text is None:
        return "moved", "there is no such place"
    file.write_text(text)
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    try:
        result, why = judge(chosen, tests, order, seconds)
    finally:
        file.write_text(kept)
        os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        rebuild([], chosen)
        run("ninja", "libsoa.a", "libsoa_io.a")
    if result == "killed":
        name, profile = why
        if name not in seconds and failing([name], tests, profile, seconds):
            seconds[name] = 1e9  # it fails or takes long without the change, so it tells nothing
            return mutant(place, objects, tests, kills, seconds)
        kills[path, name] += 1
        kills[folder, name] += 1
        return result, name
    return result, why


def choose(arguments):
    if arguments and ":" in arguments[0]:
        return arguments
    count, seed = int(arguments[0]) if arguments else 20, int(arguments[1]) if len(arguments) > 1 else 1
    folders = arguments[2:] or sorted(path.name for path in (TREE / "src").iterdir() if path.is_dir())
    chance, chosen = random.Random(seed), []
    for number, folder in enumerate(folders):
        all_of_it = [place for path in sorted((TREE / "src" / folder).glob("*.[ch]"))
                     for place in places(path.relative_to(TREE))]
        share = (count * (number + 1)) // len(folders) - (count * number) // len(folders)
        chosen += chance.sample(all_of_it, min(share, len(all_of_it)))
    chance.shuffle(chosen)  # so that a part of the list is of all folders
    return chosen


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("mutants: stopped"))  # the file is restored on the way out
    prepare()
    chosen = choose(sys.argv[1:])
    tests, objects = tests_of({place.split("/")[1] for place in chosen}), users()
    kills, count = collections.Counter(), collections.defaultdict(collections.Counter)
    file = WORK / "seconds.json"  # name of a test -> its time; 1e9: it fails or takes long without a change
    seconds = json.loads(file.read_text()) if file.is_file() else {}
    for place in chosen:
        begin = time.monotonic()
        result, why = mutant(place, objects, tests, kills, seconds)
        file.write_text(json.dumps(seconds))
        print(f"{result:8} {time.monotonic() - begin:4.0f} s {place}  {why}", flush=True)
        count[place.split("/")[1]][result] += 1
        count["all"][result] += 1
    print("| folder | killed | of | share | refused by the compiler | same code |\n|---|---|---|---|---|---|")
    for folder, of in sorted(count.items(), key=lambda item: (item[0] == "all", item[0])):
        tried = of["killed"] + of["survived"]
        share = 100 * of["killed"] / max(tried, 1)
        print(f"| {folder} | {of['killed']} | {tried} | {share:.0f} % | {of['refused']} | {of['same']} |")


main()
