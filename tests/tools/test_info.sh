# soa info, models and demo on the built-in models.
. "$(dirname "$0")/expect.sh"

run 1 info nowhere.urdf
err_has "soa: nowhere.urdf: "
out_empty
run 1 info builtin:arm8
err_has "soa: there is no built-in model 'arm8'; choose from pendulum"
out_empty
run 1 info builtin:chain:0
err_has "N must be from 1 to 1000000"
run 1 info builtin:tree:5
err_has "'tree:5' is not of the form 'tree:N,SEED'"
run 1 info arm7
grep -q "builtin:arm7" "$WORK/err" || fail "no hint at builtin:arm7"

run 0 models
err_empty
for name in pendulum double-pendulum arm6 arm7 dual-arm quadruped humanoid satellite hexapod; do
    grep -q "^$name  *[0-9]* *[0-9]* " "$WORK/out" || fail "models: no line for $name"
    run 0 info builtin:$name
    err_empty
    out_has "  dofs "
    run 0 models
done
out_has "chain:N"
out_has "tree:N,SEED"
run 0 models --json
json_has models=12 models.3.name:arm7 models.3.nv=7 models.9.bodies:null

# For people.
run 0 info builtin:arm7
out_has "builtin:arm7"
out_has "7 (7 revolute)"
out_has "7 (nq 7, nv 7)"
out_has "25 kg"
out_has "0 0 -9.81 m/s^2"
out_has "merged into the world"
out_has "-2.96 .. 2.96 rad"
out_lacks "$(printf '\033')"
if grep -q "$(printf '[\200-\377]')" "$WORK/out"; then fail "info: not plain characters in the locale C"; fi
out_has "\`- link1"
LC_ALL=C.UTF-8
if [ "$(locale charmap 2>/dev/null)" = UTF-8 ]; then
    run 0 info builtin:arm7
    out_has "└─ link1"
    run 0 info builtin:arm7 --ascii
    out_lacks "└─"
    out_has "\`- link1"
fi
LC_ALL=C
run 0 info builtin:hexapod --frames
out_has "ball6"
out_has "rod6 - platform"
out_has "table"
run 0 info builtin:chain:201
out_has "... and 1 more links; --all shows them"
run 0 info builtin:chain:201 --all
out_has "link201"
out_lacks "--all"
run 0 demo
out_has "joint7"
out_has "soa convert builtin:arm7"
grep -q "joint2  *0.500 " "$WORK/out" || fail "demo: no dynamics of joint2"
# Only weight loads the arm: nothing turns the vertical first axis.
grep -q "joint1  *0.000  *0.000 " "$WORK/out" || fail "demo: joint1 carries weight"

# For programs.
run 0 info builtin:arm7 --json
err_empty
for wrong in name:arm6 links=9 mass~26 nothing=1 joints.0.name:null; do
    "$JSON_CHECK" $wrong <"$WORK/out" 2>/dev/null && fail "json_check accepts the wrong $wrong"
done
json_has name:arm7 links=8 joints=7 bodies=7 nq=7 nv=7 mass~25 mimics=0 closures=0 frames=1 configurations=1 \
    warnings=0 merged=1 merged.0:base gravity.2~-9.81 joints.6.name:joint7 joints.6.type:revolute \
    joints.6.q.0=6 joints.6.q.1=1 joints.6.limits.upper.0~3.05 joints.6.parent:link6 joints.6.child:link7 \
    joints.6.mimic:null bodies.0.name:link1 bodies.0.parent:world bodies.1.parent:link1 links.0.body:world \
    links.7.mass~0.6 frames.0.link:link7 configurations.0.q=7
run 0 info builtin:quadruped --json
json_has nv=18 nq=19 joints.0.type:free joints.0.axis:null joints.0.limits.upper.0:null joints.0.q.1=7 \
    joints.1.q.0=7 joints.1.v.0=6 frames=5
run 0 info builtin:hexapod --json
json_has closures=6 closures.0.kind:spherical closures.0.rows=3 closures.5.a:rod6 closures.5.b:platform nv=24
run 0 info builtin:dual-arm --json
json_has nv=15 links=18 joints=15 merged=3 joints.14.name:right/joint7
run 0 info builtin:tree:30,5 --json
json_has bodies=30
grep -q '"nan"\|nan,\|inf,' "$WORK/out" && fail "a number that is not finite in JSON"
done_testing
