#!/usr/bin/env bash
# clang-format, clang-tidy, cppcheck (if there) and shellcheck over the tree.
# clang-tidy skips files that passed before with the same headers and rules.
# Usage: scripts/lint.sh, after `make build` (needs build/compile_commands.json)
set -uo pipefail
cd "$(dirname "$0")/.." || exit
jobs=$(nproc 2>/dev/null || echo 2)
failed=0

fail() {
  echo "lint: $1" >&2
  failed=1
}

# One stamp per source whose content, headers and rules are known to be clean.
if [ "${1:-}" = --tidy ]; then
  stamp=build/tidy/$(cat "$2" build/tidy/common | sha256sum | cut -c1-40)
  [ -e "$stamp" ] || { clang-tidy --quiet -p build/tidy "$2" 2>/dev/null && : >"$stamp"; }
  exit
fi

mapfile -t all < <(find include src tools tests examples bench web/src -name '*.[ch]' 2>/dev/null | sort)
mapfile -t units < <(find src tools examples -name '*.c' 2>/dev/null | sort)
mapfile -t scripts < <(find .ci scripts tests -type f \( -name '*.sh' -o -path .ci/run \) | sort)

clang-format --dry-run -Werror "${all[@]}" || fail "run 'make format'"

mkdir -p build/tidy
sed "s/ -mmemset-strategy=[^ ]*//" build/compile_commands.json >build/tidy/compile_commands.json # gcc alone knows it
find include src tools \( -name '*.h' -o -name '*.def' -o -name '*.inc' \) -print0 | sort -z | xargs -0 cat .clang-tidy |
  sha256sum >build/tidy/common
printf '%s\0' "${units[@]}" | xargs -0 -P "$jobs" -I{} scripts/lint.sh --tidy {} ||
  fail "clang-tidy found something"

# cppcheck cannot expand the lists of dynamics/batch.h and step_table.h, so it passes over what includes it; clang-tidy does not.
if command -v cppcheck >/dev/null 2>&1; then
  cppcheck --quiet --std=c11 --language=c --error-exitcode=1 --inline-suppr -j "$jobs" \
    --enable=warning,performance,portability --suppress=missingIncludeSystem --suppress=pointerSize --suppress=internalAstError \
    --suppress=preprocessorErrorDirective:src/dynamics/batch.h --suppress=syntaxError:src/expr/step_table.h \
    -I include -I src src tools || fail "cppcheck found something"
fi
shellcheck --shell=bash --severity=warning --exclude=SC2154 "${scripts[@]}" || fail "shellcheck found something"
exit $failed
