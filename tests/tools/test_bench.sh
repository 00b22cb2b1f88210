# soa bench: quick runs give every field; wrong names are refused. No figure is
# judged: how fast a machine is today is no property of the program.
. "$(dirname "$0")/expect.sh"

run 0 bench builtin:pendulum --only forward-dynamics --json --seconds 0.002 --lanes 1
err_empty
json_has results=1 skipped=0 seed=1 results.0.model:pendulum results.0.bodies=1 results.0.nv=1 \
    results.0.algorithm:forward-dynamics results.0.lanes=1 results.0.threads=1 "version:$("$SOA" --version | cut -c5-)"
grep -q '"ns": [0-9]*\.[0-9]' "$WORK/out" || fail "no ns"
# One body: the two times are equal, and their inverse is the rate.
ns=$(sed -n 's/.*"ns": \([0-9.e+-]*\),.*/\1/p' "$WORK/out")
rate=$(awk "BEGIN { printf \"%.17g\", 1e9 / $ns }")
json_has "results.0.ns_per_body~$ns" "results.0.states_per_s~$rate"

# Every algorithm; the operational inertia of one joint does not exist.
run 0 bench builtin:pendulum builtin:arm7 --json --seconds 0.0001 --lanes 1 --seed 7
json_has results=29 skipped=1 seed=7 skipped.0.algorithm:operational-inertia results.14.model:arm7 results.14.bodies=7 \
    results.14.algorithm:inverse-dynamics
for name in inverse-dynamics forward-dynamics mass-matrix mass-inverse mass-solve kinematics jacobian \
    operational-inertia centroidal-matrix energy coriolis-matrix christoffel inverse-dynamics-derivatives \
    forward-dynamics-derivatives dynamics-derivatives; do
    out_has "\"algorithm\": \"$name\""
    "$SOA" bench --help | grep -qw -e "$name" || fail "$name is not in the help"
done
out_lacks loading
out_lacks closed

# Every name that scripts rely on, alone.
for name in inverse-dynamics forward-dynamics mass-matrix mass-inverse jacobian operational-inertia kinematics \
    dynamics-derivatives coriolis-matrix christoffel; do
    run 0 bench builtin:arm7 --json --seconds 0.0001 --lanes 1 --only "$name"
    json_has results=1 skipped=0 "results.0.algorithm:$name" results.0.model:arm7 results.0.nv=7
    "$SOA" bench --help | grep -qw -e "$name" || fail "$name is not in the help"
done

# Closures: all lanes there are, in one thread whatever is asked for, and more states than were found that satisfy them.
run 0 bench builtin:hexapod --seconds 0.0001 --only closed-forward-dynamics --states 601 --json
json_has skipped=0 results.0.lanes=1 results.0.states=601
run 0 bench builtin:hexapod --seconds 0.0001 --only closed-forward-dynamics --threads 2 --lanes 1 --json
json_has results=1 skipped=0 results.0.algorithm:closed-forward-dynamics results.0.model:hexapod results.0.lanes=1 \
    results.0.threads=1 results.0.nv=24
run 0 bench "$SOURCE/examples/models/two-arms.yaml" --seconds 0.0001 --only closed-forward-dynamics
out_has "  closed-forward-dynamics "
run 1 bench builtin:arm7 --seconds 0.0001 --only closed-forward-dynamics
err_has "'closed-forward-dynamics' a model with closures"
run 0 bench builtin:chain:3001 --json --seconds 0.0001 --lanes 1 --only mass-matrix,energy
json_has results=1 skipped=1 skipped.0.nv=3001 skipped.0.algorithm:mass-matrix
out_has "nv 3001 is beyond 3000"

# All lanes there are; 1 is always there.
run 0 bench builtin:arm6 --seconds 0.0001 --only inverse-dynamics --json
json_has results.0.lanes=1 results.0.nv=6

# Many states.
run 0 bench builtin:arm7 --seconds 0.0001 --only energy --states 1003 --threads 2 --json
json_has results.0.states=1003 results.0.lanes=1
grep -q '"threads": 2' "$WORK/out" || fail "no threads"
[ "$(grep -c '"states": 1003' "$WORK/out")" -eq "$(grep -c '"ns":' "$WORK/out")" ] || fail "other numbers of states"
run 2 bench builtin:arm7 --states 0
err_has "--states: '0' is not a number from 1"
run 1 bench builtin:humanoid --only energy --states 100000000
err_has "do not fit; ask for fewer"

# Threads: a row more for each algorithm, with the most lanes.
run 0 bench builtin:arm7 --seconds 0.0001 --only energy,mass-inverse --lanes 1 --threads 2 --json
json_has results=4 results.0.threads=1 results.1.threads=2 results.1.lanes=1 results.1.algorithm:mass-inverse \
    results.3.threads=2 results.3.algorithm:energy
run 0 bench builtin:arm7 --seconds 0.0001 --only energy --threads 3
out_has "3 threads"
run 0 bench builtin:arm7 --seconds 0.0001 --only energy --threads 1
out_lacks "threads"

# A file, its loading too.
run 0 convert builtin:arm7 -o "$WORK/arm.yaml"
run 0 bench "$WORK/arm.yaml" --json --seconds 0.0001 --only loading
json_has results=1 results.0.algorithm:loading "results.0.model:$WORK/arm.yaml" results.0.bodies=7

# For people.
run 0 bench builtin:dual-arm --seconds 0.0001 --only energy,jacobian
out_has "dual-arm   15 bodies, nv 15"
out_has "  jacobian "
out_has "one state"
out_lacks "forward-dynamics"
out_lacks "$(printf '\033')"
err_empty
run 0 bench builtin:pendulum --seconds 0.0001 --lanes 1
out_has "operational-inertia: skipped: "

run 2 bench --only forward
err_has "'forward' is not an algorithm; choose from inverse-dynamics forward-dynamics mass-matrix mass-inverse"
run 2 bench --only energy,
err_has "'' is not an algorithm"
run 2 bench builtin:arm7 --lanes 3
err_has "--lanes: '3' is not 1, 4 or 8"
run 2 bench builtin:arm7 --seconds 0
err_has "--seconds: '0' is not a number"
run 2 bench builtin:arm7 --seconds nan
err_has "--seconds: 'nan' is not a number"
run 2 bench builtin:arm7 --seed 1.5
err_has "--seed: '1.5' is not a whole number"
run 2 bench builtin:arm7 --growth
err_has "--growth brings its own models"
run 2 bench builtin:arm7 --threads 0
err_has "--threads: '0' is not a number from 1 to 1024"
run 2 bench builtin:arm7 --threads 1.5
err_has "--threads: '1.5' is not a whole number"
run 2 bench --growth --threads 2
err_has "leave out --threads"
run 1 bench builtin:arm9
err_has "there is no built-in model 'arm9'"
run 1 bench no-such.urdf
err_has "no-such.urdf"
run 1 bench builtin:arm7 --only loading
err_has "nothing to measure"
run 1 bench builtin:pendulum --only operational-inertia --seconds 0.0001
err_has "pendulum: "
out_empty
done_testing
