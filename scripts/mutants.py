#!/usr/bin/env python3
"""Mutation: changes one operator, constant or condition of src/ at a time and runs the tests until one fails.

Prints what survived and the share of killed mutants by folder. Works in a copy of the tree, build-mutants/tree, built
without optimization that takes long. Quick tests of the same folder run first, and those that killed before.

A kernel is compiled once for each kind of processor. A change of its header is compiled for plain processors first, and
the tests run as on such a processor; if none fails, or the code is the same because the change is inside '#if', the
units of the next kind follow. A change that leaves the code of all units as it was is no mutant.

Usage: scripts/mutants.py [N [SEED [FOLDER...]]]      N mutants (default 20), evenly of src/FOLDER (default: all)
       scripts/mutants.py FILE:LINE:COLUMN:OLD:NEW... these mutants, as the list of survivors writes them
"""
import collections, concurrent.futures, hashlib, json, os, pathlib, random, re, resource, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutants"
TREE = WORK / "tree"
BUILD = TREE / "build"
RULES = [rule.split(":") for rule in (
    "&&:||;||:&&; + : - ; - : + ; < : <= ; <= : < ; > : >= ; >= : > ; == : != ; != : == ; * : + ;1.0:2.0;0.5:0.25;"
    "+= :-= ;-= :+= ;true:false;false:true").split(";")]
# The tests of a folder and of what stands on it: how their names begin; of other folders, those of their own name.
LOW = ("core|spatial|joint|model|dynamics|closure-(kkt|rows)|flex-flexible_dynamics|sens-(derivatives|linear)|"
       "io-(yaml|urdf|mjcf)")
TESTS = {
    "core": LOW, "spatial": LOW, "joint": LOW, "model": LOW,
    "sweep": "dynamics|operator|bits|flex-flexible|expr-run",
    "dynamics": "dynamics|operator|bits|flex-flexible|house-odd",
    "operator": "operator|expr-(theory|run|recursions)|flex-flexible_operators",
    "closure": "closure|sens-closed|example|tools-closed",
    "flex": "flex|io-(fe|flexible)|tools-flex",
    "sens": "sens|flex-flexible_(sens|der)",
    "force": "force|sim|io-scenario",
    "system": "system|tools-(closed|reduced)|sim",
    "expr": "expr|tools-language",
    "sim": "sim|io-scenario|tools-sim|tools-sweep",
    "io": "io|tools-convert|tools-robots"}
LONGEST = 25  # seconds of processor time: a test that takes longer is left out
# Objects of kernels, by the processor that runs them. The empty one stands for all other objects.
PROFILES = {"plain": r"_x1\.c\.o$", "avx2": r"_x(1|4)_fma\.c\.o$", "avx512": r"_x(1_avx512|8_fma)\.c\.o$"}
UNIT = r"_x[0-9](_[a-z0-9]+)?\.c\.o$"


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
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
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
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG -Wno-error=maybe-uninitialized",
               "-DSOA_PYTHON=OFF", "-DSOA_MODULES=OFF",
               f"-DSOA_ROBOTS={os.environ.get('SOA_ROBOTS', ROOT.parent / 'shared/robots')}"]
    if shutil.which("ld.gold"):
        options.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold")
    if not (run("cmake", "-G", "Ninja", *launcher, *options, str(TREE))[0] and run("ninja")[0]):
        sys.exit("mutants: the tree does not build")


def measured(listed):
    """Name -> processor time of the tests that pass in time; they run where their times are not known."""
    file = WORK / "seconds.json"
    known = json.loads(file.read_text()) if file.is_file() else {}
    missing = [test["name"] for test in listed if test["name"] not in known]
    once = lambda name: run("ctest", "-R", f"^{name}$", seconds=LONGEST, SOA_TEST_PROCESSOR="plain")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (good, seconds) in zip(missing, pool.map(once, missing)):
            known[name] = seconds if good else None
            print(f"{name} takes {seconds:.1f} s" if good else f"left out: {name}", flush=True)
    file.write_text(json.dumps(known))
    return {name: seconds for name, seconds in known.items() if seconds is not None}


def tests_of(folders):
    """Name -> (seconds, targets of ninja)."""
    wanted = "|".join(sorted({TESTS.get(folder, folder) for folder in folders}))
    listed = json.loads(said("ctest", "--show-only=json-v1", "-R", f"^({wanted})"))["tests"]
    seconds, tests = measured(listed), {}
    for test in listed:
        words = test.get("command", []) + [value.partition("=")[2] for prop in test["properties"]
                                           if prop["name"] == "ENVIRONMENT" for value in prop["value"]]
        made = [os.path.relpath(word, BUILD) for word in words if word.startswith(f"{BUILD}/") and os.path.isfile(word)]
        if test["name"] in seconds:
            tests[test["name"]] = (seconds[test["name"]], made)
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


def killer(tests, order, profile):
    """The first test that fails, or None."""
    for name in order:
        env = {"SOA_TEST_PROCESSOR": profile} if profile else {}
        seconds, targets = tests[name]
        if targets and not run("ninja", *targets)[0]:
            return "a test that does not link"
        if not run("ctest", "-R", f"^{name}$", "--timeout", "900", seconds=5 + 5 * seconds, **env)[0]:
            return name
    return None


def judge(objects, tests, order):
    """refused: by the compiler; same: the code of the library is the same; killed or survived."""
    library = [name for name in objects if re.match(r"CMakeFiles/soa(_io)?\.dir/", name)]
    others = [name for name in objects if name not in library]
    units = [name for name in library if re.search(UNIT, name)]
    result = "same", ""
    for profile, pattern in PROFILES.items() if units else [("", "$^")]:
        chosen = [name for name in library if name not in units or re.search(pattern, name)]
        before = code(chosen)
        if not rebuild(chosen, others):
            return "refused", ""
        if code(chosen) != before:
            found = killer(tests, order, profile)
            if found:
                return "killed", found
            result = "survived", profile
    return result


def mutant(place, objects, tests, kills):
    path, line, column, old, new = place.split(":")
    file, folder = TREE / path, path.split("/")[1]
    wanted = re.compile(TESTS.get(folder, folder))
    order = sorted(filter(wanted.match, tests), key=lambda name: (
        -kills[path, name], -kills[folder, name], not name.startswith(f"{folder}-"), tests[name][0]))
    kept, time, chosen = file.read_text(), file.stat(), objects[str(file)]
    lines = kept.split("\n")
    at = int(column) - 1
    row = lines[int(line) - 1]
    if row[at:at + len(old)] != old:
        return "moved", "there is no such place"
    lines[int(line) - 1] = row[:at] + new + row[at + len(old):]
    file.write_text("\n".join(lines))
    os.utime(file, ns=(time.st_atime_ns, time.st_mtime_ns))
    try:
        result, why = judge(chosen, tests, order)
    finally:
        file.write_text(kept)
        os.utime(file, ns=(time.st_atime_ns, time.st_mtime_ns))
        rebuild([], chosen)
        run("ninja", "libsoa.a", "libsoa_io.a")
    if result == "killed":
        kills[path, why] += 1
        kills[folder, why] += 1
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
    prepare()
    chosen = choose(sys.argv[1:])
    tests, objects = tests_of({place.split("/")[1] for place in chosen}), users()
    kills, count = collections.Counter(), collections.defaultdict(collections.Counter)
    for place in chosen:
        result, why = mutant(place, objects, tests, kills)
        print(f"{result:8} {place}  {why}", flush=True)
        count[place.split("/")[1]][result] += 1
        count["all"][result] += 1
    for folder, of in sorted(count.items(), key=lambda item: (item[0] == "all", item[0])):
        all_of_it = of["killed"] + of["survived"]
        print(f"{folder:10} {of['killed']:3} of {all_of_it:3} killed, {100 * of['killed'] / max(all_of_it, 1):5.1f} %;"
              f" {of['refused']} refused by the compiler, {of['same']} of the same code")


main()
