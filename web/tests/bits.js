// The table of hashes (make bits) in WebAssembly beside that of this machine without FMA: every row must be the same.
// Usage: node bits.js SOA_BITS BITS.wasm
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';

const [program, wasm] = process.argv.slice(2);
const AREAS = ['models', 'dynamics', 'derivatives', 'operators', 'language', 'flexible', 'closures'];
if (!existsSync(wasm)) {
  console.log(`skipped: ${wasm} is not there; run 'make web'`);
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), 'soa-bits-'));
const file = join(folder, 'table');
const out = openSync(file, 'w');
const wasi = new WASI({ version: 'preview1', args: ['soa_bits', ...AREAS], stdout: out, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), { wasi_snapshot_preview1: wasi.wasiImport });
const status = wasi.start(instance);
closeSync(out);
const here = readFileSync(file, 'utf8').trim().split('\n');
rmSync(folder, { recursive: true });
const there = execFileSync(program, AREAS, { env: { ...process.env, SOA_TEST_PROCESSOR: 'plain' }, encoding: 'utf8', maxBuffer: 1 << 26 }).trim().split('\n');
const different = there.filter((row, i) => row !== here[i]);
console.log(`${here.length} rows in WebAssembly, ${there.length} here without FMA, ${different.length} differ`);
different.slice(0, 5).forEach((row) => console.log(row));
process.exit(status === 0 && there.length > 100 && here.length === there.length && different.length === 0 ? 0 : 1);
