#!/usr/bin/env bash
# scripts/layers.sh finds each kind of bad include, and passes good ones.
# Usage: layers.sh SCRIPT SCRATCH
set -euo pipefail
script=$1
scratch=$2
failures=0

# A small tree that keeps the order.
fresh() {
  rm -rf "$scratch"
  mkdir -p "$scratch"/{include/soa,src/core,src/model,src/io,tools/soa,web/src}
  printf '#include <stddef.h>\n' >"$scratch/include/soa/core.h"
  printf '#include "soa/core.h"\n' >"$scratch/include/soa/model.h"
  printf '#include "soa/model.h"\n' >"$scratch/include/soa/soa.h"
  printf '#include "soa/core.h"\n#include <math.h>\n' >"$scratch/src/core/a.c"
  printf '#include "core/a.h"\n#include "model/own.h"\n#include "own.h"\n' >"$scratch/src/model/b.c"
  printf '#include <expat.h>\n#include "model/b.h"\n#include "soa/soa.h"\n' >"$scratch/src/io/c.c"
  printf '/* own */\n' >"$scratch/tools/soa/own.h"
  printf '#include <jansson.h>\n#include "soa/soa.h"\n#include "own.h"\n' >"$scratch/tools/soa/main.c"
}

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# refuses FILE LINE: the line, added to the file, is found and named.
refuses() {
  fresh
  printf '%s\n' "$2" >>"$scratch/$1"
  local output
  if output=$(bash "$script" "$scratch" 2>&1); then
    fail "$1 may include: $2"
  elif ! grep -q "^$1:[0-9]*: " <<<"$output"; then
    fail "the message does not name $1: $output"
  fi
}

fresh
bash "$script" "$scratch" || fail "a good tree is refused"

refuses src/core/a.c '#include "model/b.h"'
refuses src/core/a.c '  #  include  "io/c.h"'
refuses src/core/a.c '#include "soa/model.h"'
refuses src/core/a.c '#include "soa/soa.h"'
refuses src/core/a.c '#include <model/b.h>'
refuses src/model/b.c '#include "soa/io.h"'
refuses src/model/b.c '#include <expat.h>'
refuses src/model/b.c '#include <yaml.h>'
refuses src/core/a.c '#include <jansson.h>'
refuses src/model/b.c '#include "../io/c.h"'
refuses src/model/b.c '#include "soa/nowhere.h"'
refuses include/soa/core.h '#include "soa/model.h"'
refuses include/soa/core.h '#include "core/a.h"'
refuses tools/soa/main.c '#include "core/a.h"'
refuses tools/soa/main.c '#include "elsewhere.h"'
refuses web/src/page.c '#include "core/a.h"'
refuses tools/soa/main.c '#include "../../src/core/a.h"'
fresh
mkdir "$scratch/src/extra"
printf '#include <math.h>\n' >"$scratch/src/extra/x.c"
if bash "$script" "$scratch" >/dev/null 2>&1; then
  fail "a folder that is no level passes"
fi
rm -rf "$scratch"
mkdir -p "$scratch"
if bash "$script" "$scratch" >/dev/null 2>&1; then
  fail "an empty tree passes"
fi

[ "$failures" -eq 0 ] || exit 1
echo "layers.sh: all bad includes found"
