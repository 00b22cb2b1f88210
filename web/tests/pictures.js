// Takes the pictures of docs/images/view-*.png: node web/tests/pictures.js FOLDER. Those of other people's robots only
// where SOA_ROBOTS has them.
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Browser, filesOf, give } from './browser.js';

const ROBOTS = process.env.SOA_ROBOTS || '';
const out = process.argv[2];
const only = process.argv.slice(3);

async function robot(page, ...names) {
  const path = names.map((name) => join(ROBOTS, name)).find((name) => existsSync(name));
  if (!path) return false;
  const files = filesOf(dirname(path));
  await give(page, { [basename(path)]: files[basename(path)], ...files });
  await page.evaluate(() => { document.getElementById('message').hidden = true; });
  return true;
}
const builtin = (page, name) => page.evaluate((model) => window.soa.app.open(model), `builtin:${name}`);
const tab = (page, key) => page.keyboard.press(key).then(() => page.evaluate(() => document.activeElement.blur()));
const turn = (page, x, y, z, near = 1) => page.evaluate((v) => {
  const { stage } = window.soa.app;
  const far = stage.camera.position.distanceTo(stage.controls.target) * v[3];
  stage.camera.position.copy(stage.controls.target).add(new window.soa.THREE.Vector3(v[0], v[1], v[2]).normalize().multiplyScalar(far));
  stage.controls.update();
}, [x, y, z, near]);
const simulate = (page, seconds) => page.evaluate((end) => {
  const { simulation } = window.soa;
  if (!simulation.live) simulation.begin();
  const begin = simulation.time();
  for (let i = 1; i <= 60 * end; i++) simulation.advance(begin + i / 60 - simulation.time());
}, seconds);

const PICTURES = {
  async 'view-sweeps'(page) {
    await tab(page, '3');
    await page.waitForSelector('#operators .recursion pre');
    await page.evaluate(() => { window.soa.player.pace = 0.35; window.soa.panels.operators.play(); });
    await page.waitForFunction(() => document.querySelector('.recursion .inward.now') && document.querySelector('#values strong')?.textContent === 'link4', null, { timeout: 60000, polling: 20 });
    await page.evaluate(() => { document.getElementById('panels').scrollTop = 175; });
  },
  async 'view-panda'(page) {
    if (!await robot(page, 'panda/panda.urdf')) return false;
    await page.evaluate(() => window.soa.app.setState([0, -0.5, 0, -2.1, 0, 1.7, 0.78, 0.02, 0.02].slice(0, window.soa.app.model.nq)));
    await page.evaluate(() => window.soa.app.look());
    return true;
  },
  async 'view-cassie'(page) {
    if (!await robot(page, 'cassie/cassie.xml')) return false;
    await page.evaluate(() => { const { app, simulation } = window.soa; simulation.setGround(true); simulation.hold = true; simulation.tune(6, 0.7, true); app.show('forces', true); app.show('axes', true); app.tell('layers'); });
    await simulate(page, 0.5);
    await page.evaluate(() => window.soa.app.look());
    await turn(page, 0.9, -0.8, 0.35, 0.9);
    await tab(page, '5');
    return true;
  },
  async 'view-humanoid'(page) {
    if (!await robot(page, 'mujoco_humanoid/humanoid.xml')) await builtin(page, 'humanoid');
    await tab(page, '2');
    await page.check('#simulate label:has-text("Ground") input');
    await page.check('#simulate label:has-text("Joints hold themselves") input');
    await page.evaluate(() => { window.soa.app.show('forces', true); window.soa.app.tell('layers'); window.soa.simulation.tune(5, 0.7, true); for (let i = 6; i < window.soa.app.model.nv; i++) window.soa.app.v()[i] = Math.sin(3 * i); });
    await simulate(page, 0.55);
    await page.evaluate(() => window.soa.app.look());
    await turn(page, 1, -0.75, 0.3, 1);
  },
  async 'view-satellite'(page) {
    await page.selectOption('#models', 'example:models/satellite.yaml');
    await page.waitForFunction(() => window.soa.app.path === 'models/satellite.yaml');
    await page.evaluate(() => { const { app } = window.soa; app.show('trails', true); app.tell('layers'); app.v().set([0.05, 0.12, 0.1]); app.q().set([1, 0.25, 0.04, 0, 0, 1, -0.25, 0.04, 0, 0], 7); app.update(); });
    await tab(page, '2');
    await simulate(page, 3.3);
    await turn(page, 0.5, -1, 0.45, 0.85);
  },
  async 'view-flexible'(page) {
    await tab(page, '6');
    await page.click('.tour:nth-child(4)');
    await page.waitForFunction(() => { const q = window.soa.app.model?.name === 'beam' ? window.soa.app.q() : [0, 0, 0]; return Math.abs(q[2]) > 0.02; }, null, { timeout: 30000, polling: 10 });
    await page.evaluate(() => { window.soa.app.setCoordinate = () => {}; });
    await page.waitForTimeout(200);
  },
  async 'view-matrices'(page) {
    await builtin(page, 'quadruped');
    await tab(page, '4');
  },
  async 'view-small'(page) {
    await builtin(page, 'hexapod');
    await page.evaluate(() => { window.soa.app.show('forces', true); });
  },
};
const DARK = ['view-cassie', 'view-satellite'];

const browser = await Browser.start();
for (const [name, act] of Object.entries(PICTURES)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const page = await browser.open(undefined, { dark: DARK.includes(name), viewport: name === 'view-small' ? { width: 390, height: 780 } : { width: 1280, height: 800 } });
  if (await act(page) !== false) {
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(out, `${name}.png`) });
    console.log(`${name}.png`);
  }
  await page.close();
}
if (browser.errors.length > 0) console.log(browser.errors);
await browser.stop();
