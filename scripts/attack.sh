#!/usr/bin/env bash
# Blunt mutators of model files, states, expressions and scenarios under the sanitizers (tests/fuzz/attack.c).
# Usage: scripts/attack.sh BUILD [FILES STATES EXPRESSIONS SCENARIOS [FIRST]], after the preset of BUILD was built
set -uo pipefail
cd "$(dirname "$0")/.." || exit
attack=$1/tests/soa_attack files=${2:-5000} states=${3:-2000} expressions=${4:-5000} scenarios=${5:-2000} first=${6:-1}
robots=${SOA_ROBOTS:-../shared/robots}
failed=0
mapfile -t seeds < <(find examples/models "$robots" -name '*.urdf' -o -name '*.xml' -o -name '*.yaml' 2>/dev/null | sort)
"$attack" files "$first" "$files" "${seeds[@]}" || failed=1
"$attack" states "$first" "$states" || failed=1
"$attack" expressions "$first" "$expressions" || failed=1
"$attack" scenarios "$first" "$scenarios" || failed=1
exit $failed
