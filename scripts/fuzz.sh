#!/bin/sh
# Fuzzes the readers: scripts/fuzz.sh [SECONDS], for each of URDF, MJCF, YAML, the operator
# language (expr) and all that is done with its expressions (pipeline).
# Builds with clang into build-fuzz; what is found stays in build-fuzz/findings.
set -eu

seconds=${1:-60}
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-fuzz
formats=${SOA_FUZZ_FORMATS:-urdf mjcf yaml expr pipeline}
robots=${SOA_ROBOTS:-$root/../shared/robots}

case $seconds in
'' | *[!0-9]*)
    echo "usage: scripts/fuzz.sh SECONDS" >&2
    exit 2
    ;;
esac

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER="${CC:-clang}" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DSOA_FUZZ=ON -DSOA_TESTS=OFF -DSOA_TOOL=OFF -DSOA_EXAMPLES=OFF >"$build.log" 2>&1 ||
    { cat "$build.log" >&2; exit 1; }
mv "$build.log" "$build/configure.log"
cmake --build "$build" --target fuzz_urdf fuzz_mjcf fuzz_yaml fuzz_expr fuzz_pipeline fuzz_seeds

corpus=$build/corpus
findings=$build/findings
for format in urdf mjcf yaml expr pipeline; do
    mkdir -p "$corpus/$format" "$corpus/seeds/$format" "$findings/$format"
done

# Seeds: the built-in models, the documented example, and real robots and broken files if they are there.
"$build/tests/fuzz/fuzz_seeds" "$corpus/seeds"
sed -n '/^```yaml$/,/^```$/p' "$root/docs/native-format.md" | sed '/^```/d' >"$corpus/seeds/yaml/example"
number=0
grep -oh -e '^X(.*)$' -e '^RULE(.*)$' "$root/src/operator/identities.def" "$root/src/expr/rules.def" |
    sed 's/^.*, "//; s/")$//' | while read -r equation; do
    number=$((number + 1))
    for format in expr pipeline; do
        printf '%s' "$equation" >"$corpus/seeds/$format/identity-$number"
    done
done
cp "$root/examples/operators.soa" "$corpus/seeds/expr/example"
number=0
if [ -d "$robots" ]; then
    for file in "$robots"/*/*.urdf "$robots"/*/*.xml; do
        number=$((number + 1))
        case $file in
        *.urdf) format=urdf ;;
        *) format=mjcf ;;
        esac
        if [ -f "$file" ] && [ "$(wc -c <"$file")" -le 65536 ]; then
            cp "$file" "$corpus/seeds/$format/robot-$number"
        fi
    done
fi

dictionary() {
    case $1 in
    pipeline) echo expr ;;
    *) echo "$1" ;;
    esac
}

failed=0
summary=
for format in $formats; do
    log=$build/fuzz_$format.log
    status=0
    "$build/tests/fuzz/fuzz_$format" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=120 -max_len=65536 \
        -print_final_stats=1 -dict="$root/tests/fuzz/$(dictionary "$format").dict" -artifact_prefix="$findings/$format/" \
        "$corpus/$format" "$corpus/seeds/$format" >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    cover=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    if [ "$status" -ne 0 ]; then
        failed=1
        tail -40 "$log" >&2
        summary="$summary$format: FOUND SOMETHING after ${runs:-?} runs, see $log
"
    else
        summary="$summary$format: nothing in ${runs:-?} runs, ${cover:-?} edges covered
"
    fi
done
printf '%s' "$summary"
exit $failed
