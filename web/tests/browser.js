// Debian's chromium, driven by playwright-core; every console error is kept.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM, PAGE } from './places.js';

const FLAGS = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), 'soa-web-'));
    browser.context = await chromium.launchPersistentContext(browser.folder, { executablePath: CHROMIUM, headless: true, args: FLAGS, viewport: { width: 900, height: 640 }, offline: true });
    browser.errors = [];
    return browser;
  }

  /** The page with nothing loaded but what is inlined; fails if it is not ready in time. */
  async open(path = PAGE, options = {}) {
    const page = await this.context.newPage();
    page.on('console', (message) => { if (message.type() === 'error') this.errors.push(message.text()); });
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('request', (request) => { if (/^https?:/.test(request.url())) this.errors.push(`asked the network for ${request.url()}`); });
    if (options.viewport) await page.setViewportSize(options.viewport);
    if (options.dark !== undefined) await page.emulateMedia({ colorScheme: options.dark ? 'dark' : 'light' });
    await page.goto(`file://${path}`);
    await page.waitForSelector('body[data-ready=yes]', { timeout: 60000 });
    return page;
  }

  async stop() {
    await this.context.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs tests one after another on one browser; the exit status says how it went. */
export async function run(tests) {
  const browser = await Browser.start();
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    browser.errors.length = 0;
    let problem = null;
    try { await test(browser); } catch (fault) { problem = fault; }
    if (!problem && browser.errors.length > 0) problem = new Error(`console: ${browser.errors.join('; ')}`);
    console.log(`${problem ? 'FAILED' : 'passed'}  ${name}`);
    if (problem) { console.log(problem.stack || problem); failed++; }
    for (const page of browser.context.pages().slice(1)) await page.close();
  }
  await browser.stop();
  process.exit(failed ? 1 : 0);
}

export function check(condition, text) { if (!condition) throw new Error(text); }

export async function message(page) {
  return page.evaluate(() => document.getElementById('message').textContent);
}

/** Gives files to the page as if they were chosen; resolves when they have been read. */
export async function give(page, files) {
  await page.evaluate(async (list) => {
    const transfer = new DataTransfer();
    for (const [name, bytes] of list) transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
    await window.soa.app.try(() => window.soa.app.drop({ files: transfer.files }));
  }, Object.entries(files).map(([name, data]) => [name, Buffer.from(data).toString('base64')]));
}

const MOST = 24 << 20; // of the files that are given to the page

/** The models and meshes of a folder by their paths in it. */
export function filesOf(folder) {
  const files = {};
  let bytes = 0;
  const walk = (at) => {
    for (const name of readdirSync(at)) {
      const path = join(at, name);
      if (statSync(path).isDirectory()) walk(path);
      else if (/\.(urdf|xml|ya?ml|stl|obj|dae)$/i.test(name) && bytes + statSync(path).size < MOST) {
        bytes += statSync(path).size;
        files[relative(folder, path)] = readFileSync(path);
      }
    }
  };
  walk(folder);
  return files;
}
