// One page, nothing beside it: scripts, styles, the library (gzip, base64) and examples are inlined.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = dirname(fileURLToPath(import.meta.url)); // Node.js 18 has no import.meta.dirname
const root = resolve(here, '..');
const build = process.env.SOA_WEB_BUILD || resolve(root, 'build-web');

// import base64 from 'virtual:soa-wasm'
const library = {
  name: 'soa-library',
  resolveId: (id) => (id === 'virtual:soa-wasm' ? '\0soa-wasm' : null),
  load: (id) => (id === '\0soa-wasm'
    ? `export default '${gzipSync(readFileSync(resolve(build, 'soa.wasm')), { level: 9 }).toString('base64')}'`
    : null),
};

// Of the fonts of formulas: one kind of file, and not those that formulas of operators never use.
const fonts = {
  name: 'soa-fonts',
  enforce: 'pre',
  transform: (code, id) => (/katex.*\.css/.test(id)
    ? code.replace(/,url\([^)]*\.(woff|ttf)\) format\("\w+"\)/g, '').replace(/@font-face\{[^}]*KaTeX_(Fraktur|Script|SansSerif|Typewriter|Caligraphic-Bold|Math-BoldItalic|Main-BoldItalic)[^}]*\}/g, '')
    : null),
};

// A closing tag inside an inlined script would end it. The content policy lets this very script run and no other.
const onePage = {
  name: 'soa-one-page',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = Object.values(bundle).find((file) => file.fileName.endsWith('.html'));
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') {
        const code = file.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
        page.source = page.source.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, '')
          .replace('</body>', () => `<script type="module">${code}</script>\n</body>`)
          .replace('SCRIPT-HASH', `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
        delete bundle[file.fileName];
      } else if (file.fileName.endsWith('.css')) {
        page.source = page.source.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${file.source}</style>`);
        delete bundle[file.fileName];
      }
    }
    page.fileName = 'soa.html';
  },
};

export default defineConfig({
  root: here,
  base: './',
  logLevel: 'error',
  plugins: [library, fonts, onePage],
  build: {
    outDir: process.env.SOA_WEB_OUT || resolve(root, 'build/web'),
    emptyOutDir: false,
    assetsInlineLimit: 1 << 30,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 1 << 20,
  },
});
