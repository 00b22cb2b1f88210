#!/usr/bin/env bash
# Blunt mutators of model files, states and expressions under the sanitizers (tests/fuzz/attack.c).
# Usage: scripts/attack.sh BUILD [FILES STATES EXPRESSIONS [FIRST]], after the preset of BUILD was built
set -uo pipefail
cd "$(dirname "$0")/.." || exit
attack=$1/tests/soa_attack files=${2:-5000} states=${3:-2000} expressions=${4:-5000} first=${5:-1}
robots=${SOA_ROBOTS:-../shared/robots}
failed=0
mapfile -t seeds < <(find examples/models "$robots" -name '*.urdf' -o -name '*.xml' -o -name '*.yaml' 2>/dev/null | sort)
"$attack" files "$first" "$files" "${seeds[@]}" || failed=1
"$attack" states "$first" "$states" || failed=1
"$attack" expressions "$first" "$expressions" || failed=1
exit $failed
