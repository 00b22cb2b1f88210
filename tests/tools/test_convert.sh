# soa convert: what is written reads back.
. "$(dirname "$0")/expect.sh"

run 0 convert builtin:arm7 -o "$WORK/arm7.yaml"
err_empty
out_empty
run 0 info "$WORK/arm7.yaml" --json
json_has links=8 joints=7 nv=7 mass~25 frames=1
run 0 convert builtin:arm7 --to yaml
cmp -s "$WORK/out" "$WORK/arm7.yaml" || fail "--to yaml differs from -o FILE.yaml"
run 0 convert "$WORK/arm7.yaml" -o "$WORK/again.yaml"
cmp -s "$WORK/again.yaml" "$WORK/arm7.yaml" || fail "YAML does not read back equal"

for name in hexapod humanoid satellite tree:60,9; do
    run 0 convert builtin:$name -o "$WORK/first.yaml"
    run 0 convert "$WORK/first.yaml" -o "$WORK/second.yaml"
    cmp -s "$WORK/first.yaml" "$WORK/second.yaml" || fail "$name: YAML does not read back equal"
done

run 0 convert builtin:arm6 -o "$WORK/arm6.urdf"
run 0 info "$WORK/arm6.urdf" --json
json_has nv=6 mass~21.55
run 0 convert builtin:arm6 -o "$WORK/arm6.xml"
run 0 info "$WORK/arm6.xml" --json
json_has nv=6 mass~21.55

run 1 convert builtin:hexapod -o "$WORK/hexapod.urdf"
[ ! -e "$WORK/hexapod.urdf" ] || fail "a refused file was written all the same"
run 1 convert builtin:arm7 -o "$WORK/no/such/folder/arm7.yaml"
err_has "soa: "
err_has "arm7.yaml"
run 1 convert nowhere.urdf -o "$WORK/x.yaml"
[ ! -e "$WORK/x.yaml" ] || fail "a file was written without a model"
done_testing
