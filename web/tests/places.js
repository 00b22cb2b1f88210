// Where things are. import.meta.dirname is not there in Node.js 18.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(here, '../..');
export const MODULES = resolve(here, '../node_modules');
export const CHROMIUM = process.env.SOA_CHROMIUM || '/usr/bin/chromium';
export const PAGE = process.env.SOA_PAGE || resolve(ROOT, 'build/web/soa.html');
