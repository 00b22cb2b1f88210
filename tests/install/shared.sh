#!/usr/bin/env bash
# Builds the shared libraries aside (quickly, no optimisation) and installs them.
# Usage: shared.sh SOURCE SCRATCH IO
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$1 scratch=$2 io=$3
mkdir -p "$scratch"
cmake -S "$source" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON -DCMAKE_C_COMPILER="${CC:-cc}" \
  -DSOA_IO="$io" -DSOA_TESTS=OFF -DSOA_EXAMPLES=OFF >"$scratch/log"
cmake --build "$scratch/build" >>"$scratch/log" || { cat "$scratch/log"; exit 1; }
"$here/install.sh" "$scratch/build" "$scratch/install" "$io" ON
