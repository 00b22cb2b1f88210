# soa view and soa sim --view, with a page that is only the place for data.
. "$(dirname "$0")/expect.sh"
mkdir -p "$WORK/bin" "$WORK/tmp"
cp "$SOA" "$WORK/bin/soa"
SOA=$WORK/bin/soa
TMPDIR=$WORK/tmp
export TMPDIR

# Without the page one line says what to do, and no file is left.
run 1 view builtin:arm7 -o "$WORK/arm.html"
err_has "soa: the page is not there; 'make web' builds it"
[ ! -e "$WORK/arm.html" ] || fail "a page was written"

mkdir -p "$WORK/bin/web"
printf 'before<script type="application/json" id="soa-data">null</script>after\n' >"$WORK/bin/web/soa.html"

# data FILE: what is inlined, as JSON, in $WORK/out.
data() {
    sed 's/^before<script type="application\/json" id="soa-data">//; s/<\/script>after$//' "$1" >"$WORK/out"
    [ "$(grep -c '^before.*after$' "$1")" -eq 1 ] || fail "$1: the page around the data has changed"
}

run 0 view builtin:arm7 -o "$WORK/arm.html"
out_has "$WORK/arm.html: open it in a browser"
data "$WORK/arm.html"
json_has model:arm7.yaml
out_has '"recording":null'
sed 's/.*"arm7.yaml":"\([^"]*\)".*/\1/' "$WORK/out" | base64 -d >"$WORK/again.yaml"
run 0 info "$WORK/again.yaml"
out_has "7 revolute"

# A name that would end the script, a mesh beside the model, one that is absent, and a recording.
mkdir -p "$WORK/robot/meshes"
printf 'solid\nendsolid\n' >"$WORK/robot/meshes/a.stl"
cat >"$WORK/robot/robot.urdf" <<'END2'
<robot name="r"><link name="a"/>
<link name="&lt;/script&gt;"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://robot/meshes/a.stl"/></geometry></visual>
<visual><geometry><mesh filename="absent.stl"/></geometry></visual></link>
<joint name="&lt;/script&gt;" type="continuous"><parent link="a"/><child link="&lt;/script&gt;"/></joint></robot>
END2
printf 't,q.x\n0,1\n0.5,0.1\n' >"$WORK/run.csv"
run 0 view "$WORK/robot/robot.urdf" "$WORK/run.csv" -o "$WORK/robot.html"
err_has "1 mesh cannot be read, 'absent.stl' first"
data "$WORK/robot.html"
out_has "package://robot/meshes/a.stl\":\"$(base64 <"$WORK/robot/meshes/a.stl")\""
out_has 't,q.x\n0,1\n0.5,0.10000000000000001'
out_lacks '<'

# Without -o a browser is asked for; a simulation is shown the same way.
cat >"$WORK/bin/xdg-open" <<END2
#!/bin/sh
echo "\$1" >"$WORK/shown"
END2
chmod +x "$WORK/bin/xdg-open"
PATH=$WORK/bin:$PATH
run 0 view builtin:pendulum
out_has "view.html: shown in the browser"
[ -s "$(cat "$WORK/shown")" ] || fail "what is shown is not there"
printf 'soa: 1\nscenario: s\nmodel: builtin:pendulum\nduration: 0.1\nrecord: {every: 0.05, signals: [q]}\n' >"$WORK/s.yaml"
run 0 sim "$WORK/s.yaml" --out "$WORK/run" --view
[ "$(cat "$WORK/shown")" = "$WORK/run/view.html" ] || fail "soa sim --view shows $(cat "$WORK/shown")"
data "$WORK/run/view.html"
out_has 'recording":"t,q.'
run 0 sim "$WORK/s.yaml" --view
[ "$(cat "$WORK/shown")" != "$WORK/run/view.html" ] || fail "without --out the page of another run is shown"
printf '#!/bin/sh\nexit 3\n' >"$WORK/bin/xdg-open"
run 0 view builtin:pendulum
out_has "open it in a browser"

# Refusals: no model, no recording, a place that cannot be written, a page that is damaged.
run 1 view "$WORK/none.urdf" -o "$WORK/x.html"
run 1 view builtin:arm7 "$WORK/none" -o "$WORK/x.html"
run 1 view builtin:arm7 -o "$WORK/none/x.html"
err_has "cannot be written"
run 2 view
printf 'id="soa-data">null' >"$WORK/bin/web/soa.html"
run 1 view builtin:arm7 -o "$WORK/x.html"
err_has "damaged"
[ ! -e "$WORK/x.html" ] || fail "a page is left after a refusal"
done_testing
