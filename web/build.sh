#!/usr/bin/env bash
# The page: build/web/soa.html (make web). Exit status 77 and one line if something that it needs is not there.
# Usage: web/build.sh [OUT]
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/${1:-build/web}

missing() {
  echo "web: left out, needs $1" >&2
  exit 77
}
for tool in clang llvm-ar wasm-ld cmake ninja; do
  command -v $tool >/dev/null || missing "$tool; 'scripts/packages.sh web' names the packages"
done
[ -d /usr/include/wasm32-wasi ] || missing "wasi-libc; 'scripts/packages.sh web' names the packages"
command -v npm >/dev/null || missing "Node.js 18 or later with npm; 'scripts/packages.sh web' names the packages"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] || missing "Node.js 18 or later; this is $(node --version)"
# Not npm ci: it refuses a lock file without the optional packages of other machines, which not every registry has.
if [ ! -d web/node_modules ] || [ web/package-lock.json -nt web/node_modules/.package-lock.json ]; then
  (cd web && npm install --no-save --no-audit --no-fund --loglevel=error >/dev/null) ||
    missing "the packages of web/package-lock.json"
fi
web/libraries.sh build-web/libraries || missing "the sources of expat and libyaml"
web/build-wasm.sh build-web
mkdir -p "$out"
(cd web && SOA_WEB_OUT=$out npx --no-install vite build)
printf 'web: %s, %d kB; library %d kB, gzip %d kB\n' "$out/soa.html" $(($(wc -c <"$out/soa.html") / 1000)) \
  $(($(wc -c <build-web/soa.wasm) / 1000)) $(($(gzip -9 -c build-web/soa.wasm | wc -c) / 1000))
