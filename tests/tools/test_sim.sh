# soa sim and soa plot: results, summary, and refusals that name file and line and write nothing.
. "$(dirname "$0")/expect.sh"

cat >"$WORK/good.yaml" <<'END'
soa: 1
scenario: reach
model: builtin:arm7
duration: 0.5
initial: {q: {joint2: 0.5}, v: {joint4: 0.1}}
integrator: {method: rk45, rtol: 1e-9, atol: 1e-12}
forces:
  - {kind: torque, name: push, joint: joint1, value: 0.5, from: 0.1, to: 0.2}
  - {kind: spring, name: rope, a: {link: link4, at: [0, 0, 0.1]}, b: {link: world, at: [1, 0, 1]}, stiffness: 100, length: 0.5, damping: 1}
  - {kind: wrench, link: link7, at: [0, 0, 0], force: [1, 0, 0], moment: [0, 0, 0], axes: world}
  - {kind: contact, name: floor, a: {link: link7, at: [0, 0, 0.1]}, b: {link: world, at: [0, 0, -1]}, shape: box, size: [0.1, 0.1, 0.2], stiffness: 1e4, dissipation: 0.5, friction: 0.7}
sensors:
  - {kind: encoder, name: angle, joint: joint4, rate: 500, delay: 0.004, noise: [1e-4, 1e-3], bias: 0.001, resolution: 1e-4, seed: 3}
  - {kind: imu, name: imu, at: {link: link7, at: [0, 0, 0.1]}, rate: 100}
  - {kind: contact-force, name: pull, force: rope, rate: 100}
controllers:
  - {kind: pd, name: hold, joints: [joint2, joint4], kp: [100, 50], kd: 10, target: {joint2: 1.0}, measured: {joint4: angle}}
  - {kind: expression, name: weight, torque: "C"}
actuators:
  - {kind: torque, name: motor, joint: joint4, gear: 50, limit: 2, speed: 400, lag: 0.01}
  - {kind: position, joint: joint7, kp: 10, kd: 1, waypoints: {t: [0, 0.2], joint7: [0, 0.1]}}
events:
  - {name: later, when: {time: 0.25}, do: {halt: hold}}
  - {when: {signal: q.joint1, crosses: 0.001, direction: rising}, do: {record: true}}
  - {when: {formula: "q.joint1 / 2", crosses: 0.001}, do: {record: true}}
  - {when: {contact: floor, change: made}, do: {stop: true}}
signals: {sum: q.joint1 + q.joint2}
record: {every: 0.01, signals: [q, v, energy]}
END

run 0 sim "$WORK/good.yaml" --out "$WORK/run" --json
json_has scenario:reach status:finished events.0.name:later
err_empty
[ "$(head -n 1 "$WORK/run/result.csv" | tr ',' '\n' | wc -l)" -eq 17 ] || fail "result.csv: wrong number of columns"
[ "$(wc -l <"$WORK/run/result.csv")" -eq 52 ] || fail "result.csv: wrong number of rows"
head -n 1 "$WORK/run/result.csv" | grep -q '^t,q.joint1,' || fail "result.csv: wrong names"
tail -n 1 "$WORK/run/result.csv" | grep -q '^0.5,' || fail "result.csv: the last row is not the end"

# The same bits again.
run 0 sim "$WORK/good.yaml" --out "$WORK/again"
out_has "drift"
cmp -s "$WORK/run/result.csv" "$WORK/again/result.csv" || fail "the same scenario gives other bits"

# Every method runs it; energy closes.
for method in "rk853, rtol: 1e-10, atol: 1e-12" "rk4, step: 0.0005" "implicit, step: 0.0005" "stiff, rtol: 1e-6, atol: 1e-9"; do
    sed "s/method: rk45, rtol: 1e-9, atol: 1e-12/method: $method/" "$WORK/good.yaml" >"$WORK/method.yaml"
    run 0 sim "$WORK/method.yaml" --out "$WORK/method"
    near=$(paste -d, "$WORK/run/result.csv" "$WORK/method/result.csv" | tail -n 1 |
        awk -F, '{ for (i = 2; i <= 15; i++) { d = $i - $(i + 17); if (d < 0) d = -d; if (d > m) m = d }; print (m < 1e-5) }')
    [ "$near" = 1 ] || fail "$method differs from rk45"
done

# The schema for editors is the one that is shipped, and the examples are valid by it.
run 0 sim --schema
cmp -s "$WORK/out" "$(dirname "$0")/../../docs/scenario.schema.json" || fail "docs/scenario.schema.json is not that of soa sim --schema"
python=$(for p in python3 /usr/bin/python3; do $p -c 'import jsonschema, yaml' 2>/dev/null && echo "$p" && break; done)
if [ -n "$python" ]; then
    cat >"$WORK/valid.py" <<'END'
import json, sys, jsonschema, yaml
schema = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
jsonschema.Draft202012Validator.check_schema(schema.schema)
loader = yaml.SafeLoader
loader.add_implicit_resolver("tag:yaml.org,2002:float", __import__("re").compile(r"^[-+]?[0-9.]+[eE][-+]?[0-9]+$"), list("-+0123456789."))
for name in sys.argv[2:]:
    text = yaml.load(open(name), loader)
    if "scenario" in text:
        schema.validate(text)
        for bad in ({"duration": -1}, {"forces": [{"kind": "torqe"}]}, {"recrd": {}}):
            assert not schema.is_valid({**text, **bad}), bad
END
    "$python" "$WORK/valid.py" "$WORK/out" "$WORK/good.yaml" "$(dirname "$0")"/../../examples/*/*.yaml || fail "an example is not valid by the schema"
fi
run 2 sim --schema "$WORK/good.yaml"

run 0 sim "$WORK/good.yaml" --check
out_has "the scenario is valid"
run 0 plot "$WORK/run" q.joint2 energy
out_has "energy.kinetic"
run 0 plot "$WORK/run" q -o "$WORK/q.svg"
grep -q '<polyline' "$WORK/q.svg" || fail "the plot has no curve"
run 0 plot "$WORK/run" q energy -o "$WORK/q.png"
[ "$(head -c 8 "$WORK/q.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "the plot is no PNG file"
[ "$(wc -c <"$WORK/q.png")" -lt 300000 ] || fail "the PNG file is not compressed"
if command -v python3 >/dev/null; then # the one block of data, whose sum zlib checks, has all rows; most of it is white
    python3 - "$WORK/q.png" <<'END2' || fail "the PNG file cannot be read"
import struct, sys, zlib
file = open(sys.argv[1], 'rb').read()
width, height = struct.unpack('>II', file[16:24])
size = struct.unpack('>I', file[33:37])[0]
rows = zlib.decompress(file[41:41 + size])
assert file[37:41] == b'IDAT' and height == 860 and len(rows) == height * (1 + 3 * width)
assert struct.unpack('>I', file[41 + size:45 + size])[0] == zlib.crc32(file[37:41 + size])
step, above, sum = 1 + 3 * width, bytes(3 * width), 0
for y in range(height):
    row = rows[y * step:(y + 1) * step]
    assert row[0] == 2
    above = bytes((x + u) & 255 for x, u in zip(row[1:], above))
    sum += above.count(255)
assert 0.8 < sum / (3 * width * height) < 0.99
END2
fi
run 1 plot "$WORK/run" nowhere
err_has "'nowhere' is not a column"
run 1 plot "$WORK/run" q -o "$WORK/q.jpg"
err_has "SVG"
for rows in '0,nan 1,1' '0,1 1,inf' '0,1e308 1,-1e308' 'nan,1 1,1' '0,1 5,1 1,1' '1,1 1,2'; do # no picture of these, no crash
    { echo t,q && printf '%s\n' $rows; } >"$WORK/odd.csv"
    for out in '' "-o $WORK/odd.svg" "-o $WORK/odd.png"; do
        run 1 plot "$WORK/odd.csv" q $out
        err_has "odd.csv:"
    done
done
! [ -e "$WORK/odd.svg" ] && ! [ -e "$WORK/odd.png" ] || fail "half a plot is left"
for format in '' 'csv,' ',csv' 'csv,,npz'; do
    run 2 sim "$WORK/good.yaml" --out "$WORK/none" --format "$format"
    err_has "--format '$format': take csv, npz, hdf5"
done
run 2 sim "$WORK/good.yaml" --out "$WORK/none" --checkpoint inf
! [ -e "$WORK/none" ] || fail "a refused run leaves its folder"

# Many runs: the same numbers for any number of threads, each run repeatable alone, statistics of all.
cat >"$WORK/swing.yaml" <<'END'
soa: 1
scenario: swing
model: builtin:pendulum
duration: 0.2
integrator: {method: rk4, step: 0.001}
forces:
  - {kind: joint-damper, name: oil, joint: pivot, damping: 0.1}
record: {every: 0.1, signals: [q, energy.kinetic]}
END
set -- --vary 'q.pivot=normal(0.5,0.1)' --vary 'mass.rod=uniform(1,2)' --vary 'force.oil.damping=uniform(0,1)' --vary 'gravity.z=uniform(-10,-9)'
run 2 sweep "$WORK/swing.yaml" "$@" --vary 'gravity.z=normal(1,1)' -n 2 --out "$WORK/none"
err_has "it varies already by 'gravity.z=uniform(-10,-9)'"
run 0 sweep "$WORK/swing.yaml" "$@" -n 20 --seed 7 --threads 1 --out "$WORK/one"
run 0 sweep "$WORK/swing.yaml" "$@" -n 20 --seed 7 --threads 4 --out "$WORK/four"
cmp -s "$WORK/one/runs.csv" "$WORK/four/runs.csv" || fail "runs.csv depends on threads"
cmp -s "$WORK/one/statistics.json" "$WORK/four/statistics.json" || fail "statistics.json depends on threads"
[ "$(wc -l <"$WORK/one/runs.csv")" -eq 21 ] || fail "runs.csv: wrong number of rows"
run 0 sweep "$WORK/swing.yaml" "$@" --seed 7 --only 13
out_has "$(sed -n 15p "$WORK/one/runs.csv" | cut -d, -f6)"
cp "$WORK/one/statistics.json" "$WORK/out"
json_has runs=20 failed=0
out_has '"q.pivot": {"runs": 20, "mean": '
run 0 sweep "$WORK/swing.yaml" --vary 'mass.rod=uniform(-1,1)' -n 20 --out "$WORK/bad"
grep -q '"error": ' "$WORK/bad/statistics.json" || fail "runs that fail are not listed"
run 1 sweep "$WORK/swing.yaml" --vary 'q.nothing=uniform(0,1)' -n 2 --out "$WORK/bad"
err_has "'q.nothing' is nothing that can vary"
run 2 sweep "$WORK/swing.yaml" --vary 'q.pivot=cauchy(0,1)' -n 2 --out "$WORK/bad"
err_has "uniform(LOW,HIGH)"
run 2 sweep "$WORK/swing.yaml" --vary 'q.pivot=uniform(1,0)' -n 2 --out "$WORK/bad"
run 2 sweep "$WORK/swing.yaml" -n 0 --out "$WORK/bad"

# bad NAME SED TEXT: the scenario changed by sed is refused in one line with its file and the text.
bad() {
    sed "$2" "$WORK/good.yaml" >"$WORK/$1.yaml"
    cmp -s "$WORK/good.yaml" "$WORK/$1.yaml" && fail "$1: sed changed nothing"
    rm -rf "$WORK/none"
    run 1 sim "$WORK/$1.yaml" --out "$WORK/none"
    err_has "$1.yaml:"
    err_has "$3"
    [ "$(wc -l <"$WORK/err")" -eq 1 ] || fail "$1: more than one line"
    out_empty
    [ ! -e "$WORK/none" ] || fail "$1: something was written"
}

bad version 's/^soa: 1/soa: 2/' "'soa: 1'"
bad noname '/^scenario/d' "'scenario' is missing"
bad nomodel '/^model/d' "'model' is missing"
bad lostmodel 's/builtin:arm7/nowhere.urdf/' "nowhere.urdf"
bad lostbuiltin 's/builtin:arm7/builtin:arm9/' "arm9"
bad nodur '/^duration/d' "'duration' is missing"
bad negative 's/duration: 0.5/duration: -1/' "'duration' must be positive"
bad nan 's/duration: 0.5/duration: .nan/' "'duration'"
bad word 's/duration: 0.5/duration: long/' "'duration' is 'long'"
bad key 's/^initial/inital/' "did you mean 'initial'"
bad joint 's/q: {joint2: 0.5}/q: {joint9: 0.5}/' "joint9"
bad fewq 's/q: {joint2: 0.5}/q: [0, 0]/' "list of 7 numbers"
bad config 's/initial: {/initial: {configuration: nowhere, /' "no configuration 'nowhere'"
bad method 's/rk45/rk46/' "did you mean 'rk45'"
bad nostep 's/method: rk45/method: rk4/' "needs a 'step'"
bad step 's/method: rk45/method: rk4, step: 0/' "'step' must be positive"
bad rtol 's/rtol: 1e-9/rtol: -1/' "'rtol' must be positive"
bad base 's/^duration/base: floating\nduration/' "give fixed or free"
bad gravity 's/^duration/gravity: [0, 0]\nduration/' "list of 3 numbers"
bad kind 's/kind: torque/kind: torqe/' "did you mean 'torque'"
bad nokind 's/kind: torque, //' "'kind' is missing"
bad nojoint 's/joint: joint1, //' "'joint' is missing"
bad lostjoint 's/joint: joint1, value/joint: joint8, value/' "joint8"
bad stiff 's/stiffness: 100/stiffness: -100/' "negative"
bad foreign 's/stiffness: 100/stifness: 100/' "did you mean 'stiffness'"
bad link 's/link: link4/link: link44/' "link44"
bad point 's/a: {link: link4, at: \[0, 0, 0.1\]}, //' "'a' is missing"
bad restitution 's/kind: torque, name: push, joint: joint1, value: 0.5/kind: joint-stop, joint: joint1, restitution: 2/' "restitution be from 0 to 1"
bad beyond 's/kind: torque, name: push, joint: joint1, value: 0.5/kind: joint-stop, joint: joint2, lower: 1, upper: 2/' "beyond its stops 1 and 2"
bad stick 's/kind: torque, name: push, joint: joint1, value: 0.5/kind: joint-friction, joint: joint1, force: 1, stick: yes please/' "'stick'"
bad holding 's/kind: torque, name: push, joint: joint1, value: 0.5/kind: joint-friction, joint: joint1, force: 1, holding: -1/' "holding must not be negative"
bad friction 's/^duration/joint_friction: sticky\nduration/' "did you mean 'stick'"
bad akind 's/kind: position/kind: positon/' "actuator: 'kind' is 'positon'; did you mean 'position'"
bad agear 's/gear: 50/gear: 0/' "gear must not be zero"
bad alimit 's/limit: 2,/limit: -2,/' "limit and speed be positive"
bad alag 's/lag: 0.01/lag: -1/' "lag must not be negative"
bad aspeed 's/limit: 2, //' "needs the limit of torque"
bad ajoint 's/joint: joint7, kp/joint: joint8, kp/' "joint8"
bad akey 's/joint: joint7, kp/joint: joint7, ki/' "'ki'"
bad anojoint 's/position, joint: joint7,/position,/' "'joint' is missing"
bad atwice 's/kind: position, joint: joint7, kp.*$/kind: torque, joint: joint4}/' "another actuator"
bad arises 's/t: \[0, 0.2\]/t: [0.2, 0]/' "times must rise"
bad skind 's/kind: encoder/kind: encodr/' "did you mean 'encoder'"
bad sjoint 's/name: angle, joint: joint4/name: angle, joint: joint9/' "joint9"
bad srate 's/rate: 500/rate: 0/' "'rate' must be positive"
bad sdelay 's/delay: 0.004/delay: -1/' "delay not negative"
bad snoise 's/noise: \[1e-4, 1e-3\]/noise: -1/' "noise and resolution must not be negative"
bad spair 's/noise: \[1e-4, 1e-3\]/noise: [1, 2, 3]/' "list of 2 numbers"
bad sseed 's/seed: 3/seed: 0.5/' "whole number"
bad sname 's/name: angle, //' "'name' is missing"
bad splace 's/ at: {link: link7, at: \[0, 0, 0.1\]},//' "'at' is missing"
bad sforce 's/force: rope/force: robe/' "no force named 'robe'"
bad skey 's/delay: 0.004/dealy: 0.004/' "did you mean 'delay'"
bad measured 's/measured: {joint4: angle}/measured: {joint4: angel}/' "no sensor named 'angel'"
bad measured2 's/measured: {joint4: angle}/measured: {joint4: imu}/' "no encoder"
bad axes 's/axes: world/axes: moon/' "give world or body"
bad table 's/value: 0.5, from/table: none.csv, from/' "does not exist"
bad gains 's/kp: \[100, 50\]/kp: [100]/' "list of 2 numbers"
bad gain 's/kp: \[100, 50\]/kp: .inf/' "'kp' is '.inf'"
bad nojoints 's/joints: \[joint2, joint4\], kp/kp/' "joint"
bad target 's/target: {joint2: 1.0}/target: {joint3: 1.0}/' "not among 'joints'"
bad ckind 's/kind: pd/kind: pdq/' "controller 'hold': 'kind' is 'pdq'; did you mean 'pd'"
bad expression 's/torque: "C"/torque: "Mass ("/' "operand should follow"
bad wrongtype 's/torque: "C"/torque: "beta"/' "joint force"
bad shape 's/shape: box/shape: cone/' "give sphere, capsule or box"
bad shapesize 's/size: \[0.1, 0.1, 0.2\]/size: [0.1, -0.1, 0.2]/' "no size negative"
bad nofield 's/shape: box, size: \[0.1, 0.1, 0.2\]/field: none.csv, spacing: [1, 1]/' "'none.csv' does not exist"
bad nospacing 's/shape: box, size: \[0.1, 0.1, 0.2\]/field: none.csv/' "'spacing: [x, y]'"
bad dissipation 's/dissipation: 0.5/disipation: 0.5/' "did you mean 'dissipation'"
bad otherkey 's/friction: 0.7}/friction: 0.7, damping: 1}/' "'damping'"
bad ofpid 's/kd: 10, target/kd: 10, ki: 1, target/' "'ki'"
bad sum 's/sum: q.joint1 + q.joint2/sum: q.joint1 + q.joint9/' "a number, a signal, a function"
bad sum2 's/sum: q.joint1 + q.joint2/q.joint1: "1"/' "is taken"
bad formula 's/formula: "q.joint1 \/ 2"/formula: "q.joint1 \/"/' "a number, a signal, a function"
bad infinite 's/formula: "q.joint1 \/ 2"/formula: "1 \/ q.joint1"/' "not finite"
printf '%s\n' 'soa: 1' 'scenario: huge' 'model: builtin:arm7' 'duration: 1' \
    'forces: [{kind: contact, name: ground, a: {link: link7}, b: world, radius: 5, stiffness: 1e200}]' \
    'record: {every: 0.1, signals: [contact]}' >"$WORK/huge.yaml"
"$SOA" sim "$WORK/huge.yaml" --out "$WORK/huge" 2>"$WORK/err" && fail "a signal that is not finite is success"
grep -q "'contact.ground.force' is not finite at t = 0" "$WORK/err" || fail "huge: $(cat "$WORK/err")"
bad lostcontact 's/contact: floor, change/contact: flor, change/' "no force of kind contact named 'flor'"
bad change 's/change: made/change: maked/' "did you mean 'made'"
bad twoways 's/contact: floor, change/contact: floor, time: 1, change/' "either 'time' or 'signal'"
bad mixed 's/contact: floor, change: made/contact: floor, crosses: 1/' "'crosses' does not go with 'contact'"
bad nolimit 's/when: {contact: floor, change: made}/when: {limit: joint9}/' "joint9"
bad side 's/when: {contact: floor, change: made}/when: {limit: joint2, side: left}/' "lower or upper"
bad cone 's/when: {contact: floor, change: made}/when: {cone: grip}/' "signal does not exist"
bad twoactions 's/do: {stop: true}/do: {stop: true, record: true}/' "one action"
bad novalue 's/do: {stop: true}/do: {stop: true, value: 1}/' "goes with 'impulse' alone"
bad ledat 's/kind: expression, name: weight, torque: "C"/kind: operational-space, joints: [joint1], point_kp: 1/' "'at' is missing"
bad ledpath 's/kind: expression, name: weight, torque: "C"/kind: operational-space, joints: [joint1], at: link7, path: {t: [0, 1], w: [0, 1]}/' "x, y, z, roll, pitch, yaw"
bad ledlink 's/kind: expression, name: weight, torque: "C"/kind: operational-space, joints: [joint1], at: link9/' "link9"
bad lead 's/kind: expression, name: weight, torque: "C"/kind: prescribed, joints: [joint1], target: {joint1: 1}/' "let it begin there"
bad leadline 's/kind: expression, name: weight, torque: "C"/kind: prescribed, joints: [joint1], waypoints: {t: [0, 1], joint1: [0, 1]}, timing: linear/' "straight lines jump"
bad timing 's/target: {joint2: 1.0}/waypoints: {t: [0, 1], joint2: [0, 1]}, timing: soft/' "linear, quintic, trapezoidal or smooth"
bad when 's/when: {time: 0.25}/when: {}/' "either 'time' or 'signal'"
bad signal 's/signal: q.joint1/signal: q.nothing/' "signal does not exist"
bad direction 's/direction: rising/direction: up/' "rising, falling or both"
bad action 's/do: {record: true}/do: {explode: true}/' "explode"
bad halt 's/halt: hold/halt: holt/' "no controller named 'holt'"
bad detach 's/do: {record: true}/do: {detach: grip}/' "no closure named 'grip'"
bad record 's/signals: \[q, v, energy\]/signals: [w]/' "no signal 'w'"
bad every 's/every: 0.01/every: 0/' "'every' must be positive"

# Events on closures that contradict what is so already.
cat >"$WORK/two.yaml" <<'END'
soa: 1
name: two
systems:
  - name: a
    free: true
    bodies: [{name: body, mass: 2.0, com: [0, 0, 0], inertia: [0.02, 0, 0, 0.02, 0, 0.02]}]
closures:
  - {name: held, kind: rigid, a: a/body, b: world}
  - {name: away, kind: rigid, a: a/body, b: world, at_b: {xyz: [1, 0, 0]}, inactive: true}
END
# attach ACTION TEXT: a scenario with this action is refused with the text; without one it is valid.
attach() {
    printf 'soa: 1\nscenario: attach\nmodel: two.yaml\nduration: 0.1\nevents:\n  - {when: {time: 0.05}, do: {%s}}\n' "$1" >"$WORK/attach.yaml"
    run $(($# - 1)) sim "$WORK/attach.yaml" --out "$WORK/none"
    [ $# -eq 1 ] || err_has "attach.yaml:6: event: $2"
    [ $# -eq 1 ] || [ ! -e "$WORK/none" ] || fail "attach: something was written"
    rm -rf "$WORK/none"
}
attach 'attach: held' "closure 'held' is active already and no event detaches it"
attach 'enable-closure: held' "closure 'held' is active already"
attach 'detach: away' "closure 'away' is inactive and no event attaches it"
attach 'enable-closure: away' "closure 'away' contradicts those that are active"
attach 'detach: held'
attach 'attach: away'

printf 't,f\n0,1\n0,2\n' >"$WORK/back.csv"
sed 's/value: 0.5, from/table: back.csv, from/' "$WORK/good.yaml" >"$WORK/rows.yaml"
run 1 sim "$WORK/rows.yaml"
err_has "back.csv:3: times in the first column must rise"
run 1 sim "$WORK/nowhere.yaml"
err_has "nowhere.yaml"
run 2 sim
run 1 sim "$WORK/good.yaml" --out "$WORK/good.yaml"
err_has "good.yaml"
done_testing
