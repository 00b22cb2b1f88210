# Functions for the test scripts. SOA is the program, JSON_CHECK reads JSON.
WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT
FAILURES=0
unset LC_ALL LC_CTYPE LANG NO_COLOR
LC_ALL=C
export LC_ALL

fail() {
    echo "FAILED: $*"
    FAILURES=$((FAILURES + 1))
}

# run STATUS ARGUMENT...: runs soa, leaves $WORK/out and $WORK/err.
run() {
    wanted=$1
    shift
    "$SOA" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null
    got=$?
    WHAT="soa $*"
    if [ "$got" -ne "$wanted" ]; then
        fail "$WHAT: exit status $got, not $wanted"
        sed 's/^/    /' "$WORK/err"
    fi
}

# The output or the first message line has the fixed text.
out_has() { grep -qF -e "$1" "$WORK/out" || fail "$WHAT: no '$1' in the output"; }
out_lacks() { ! grep -qF -e "$1" "$WORK/out" || fail "$WHAT: '$1' in the output"; }
err_has() { head -n 1 "$WORK/err" | grep -qF -e "$1" || fail "$WHAT: no '$1' in '$(head -n 1 "$WORK/err")'"; }
err_behind() { grep -v ': note: ' "$WORK/err" | head -n 1 | grep -qF -e "$1" || fail "$WHAT: no '$1' in '$(cat "$WORK/err")'"; } # notes
err_empty() { [ ! -s "$WORK/err" ] || fail "$WHAT: message '$(head -n 1 "$WORK/err")'"; }
out_empty() { [ ! -s "$WORK/out" ] || fail "$WHAT: unwanted output"; }
json_has() { "$JSON_CHECK" "$@" <"$WORK/out" || fail "$WHAT"; }

done_testing() {
    [ "$FAILURES" -eq 0 ] && echo "all as expected"
    exit $((FAILURES > 0))
}
