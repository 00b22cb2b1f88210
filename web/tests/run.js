// Runs one group of tests on the page, or says in one line why it cannot: node tests/run.js page_GROUP.js. What the groups
// import is looked for before they are loaded.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHROMIUM, MODULES, PAGE } from './places.js';

function absent() {
  for (const name of ['playwright-core', 'fflate']) if (!existsSync(resolve(MODULES, name))) return `${name} is not there; run 'make web'`;
  if (!existsSync(CHROMIUM)) return `${CHROMIUM} is not there (package chromium)`;
  if (!existsSync(PAGE)) return `${PAGE} is not there; run 'make web'`;
  return null;
}

const reason = absent();
if (reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}
await import(pathToFileURL(resolve(process.argv[2])));
