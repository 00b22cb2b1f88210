# Every robot of the collection's index: it loads, and links, joints, dofs, mimics
# and mass are those of the index. Skipped where the collection is not there.
. "$(dirname "$0")/expect.sh"
[ -r "$ROBOTS/INDEX.md" ] || exit 77

# file links joints dofs mimics mass (or "-" where the index does not know it)
awk -F'|' '/^\| `/ {
    file = $2; gsub(/[ `]/, "", file)
    split($7, n, "/"); split($9, mimic, " ")
    mass = $11; gsub(/ /, "", mass); if (mass !~ /^[0-9.]+$/) mass = "-"
    print file, n[1] + 0, n[2] + 0, n[3] + 0, mimic[1] + 0, mass
}' "$ROBOTS/INDEX.md" >"$WORK/index"
[ "$(wc -l <"$WORK/index")" -gt 30 ] || fail "the index has no rows"

while read -r file links joints dofs mimics mass; do
    run 0 info "$ROBOTS/$file" --json
    [ "$got" -eq 0 ] || continue
    set -- links=$links joints=$joints nv=$dofs mimics=$mimics
    case $mass in - | 0) ;; *) set -- "$@" mass~$mass ;; esac
    json_has "$@"
    run 0 info "$ROBOTS/$file"
    err_empty
done <"$WORK/index"
done_testing
