// Flexible links on the page: modes move links to where soa compute says, what is drawn follows, recordings and simulations are
// those of soa sim.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, give, message, run } from './browser.js';
import { ROOT } from './places.js';

const soa = (...words) => execFileSync(process.env.SOA_PROGRAM, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
const folder = mkdtempSync(join(tmpdir(), 'soa-flexible-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const ARM = join(ROOT, 'examples/models/flexible-arm.yaml');

async function example(page, path) {
  await page.selectOption('#models', `example:${path}`);
  await page.waitForFunction((name) => window.soa.app.path === name, path);
}

/** Moves every slider of the panel, those of modes by a third of their way. */
const slide = (page) => page.evaluate(() => {
  document.querySelectorAll('#joints input[type=range]').forEach((range, i) => {
    range.value = String(Number(range.max) * (0.33 - 0.05 * (i % 4)));
    range.dispatchEvent(new Event('input'));
  });
});

await run({
  async 'modes bend links to where soa compute says, and the drawing follows'(browser) {
    const page = await browser.open();
    await example(page, 'models/flexible-arm.yaml');
    check(await page.$$eval('#joints input[type=range]', (all) => all.length) === 9, 'not nine sliders');
    await slide(page);
    const shown = await page.evaluate(() => {
      const { app } = window.soa;
      const tip = app.robot.bent.get(app.model.links.findIndex((link) => link.name === 'fore'));
      const { position } = tip.body.mesh.geometry.attributes;
      return { q: Array.from(app.q()), pose: Array.from(app.pose()), names: app.model.links.map((link) => link.name), tip: tip.tip.toArray(), drawn: Array.from(position.array.slice(-3)), kind: tip.shape.kind };
    });
    writeFileSync(join(folder, 'states.json'), JSON.stringify({ states: [{ q: shown.q }] }));
    const { bodies } = JSON.parse(soa('compute', ARM, '--what', 'kinematics', '--states', join(folder, 'states.json'), '--json')).results[0];
    let worst = 0;
    shown.names.forEach((name, k) => [...bodies[name].rotation.flat(), ...bodies[name].position].forEach((x, i) => { worst = Math.max(worst, Math.abs(x - shown.pose[12 * k + i])); }));
    check(worst < 1e-9, `a link is off by ${worst}`);
    check(shown.q.filter((x) => Math.abs(x) > 1e-3).length >= 5, `the modes are not bent: ${shown.q}`);
    const load = bodies.load.position; // it stands at the last node
    check(shown.kind === 'line' && load.every((x, i) => Math.abs(x - shown.tip[i]) < 1e-9), `the tip is at ${shown.tip}, not ${load}`);
    check(load.every((x, i) => Math.abs(x - shown.drawn[i]) < 1e-5), `the tube ends at ${shown.drawn}, not ${load}`);
    console.log(`  ${worst}`);
  },
  async 'plates are surfaces, reduced finite elements are nodes'(browser) {
    const page = await browser.open();
    await example(page, 'models/satellite.yaml');
    const before = await page.evaluate(() => Array.from(window.soa.app.robot.bent.values()).map((bent) => [bent.shape.kind, bent.tip.toArray()]));
    check(before.length === 2 && before.every(([kind]) => kind === 'grid'), JSON.stringify(before));
    await slide(page);
    const after = await page.evaluate(() => Array.from(window.soa.app.robot.bent.values()).map((bent) => bent.tip.toArray()));
    check(after.every((tip, i) => Math.hypot(...tip.map((x, k) => x - before[i][1][k])) > 0.05), 'a panel does not move');
    const times = await page.evaluate(() => { // a small deflection, drawn ten times as large
      const { app } = window.soa;
      app.setState(app.start.q);
      const { body } = app.model.links.find((link) => link.flexible).flexible;
      const bent = app.robot.bent.values().next().value;
      const at = () => bent.tip.clone();
      const rest = at();
      app.setCoordinate(body, 0, 1e-3);
      const once = at().sub(rest).length();
      const range = document.querySelector('#view input[type=range]');
      range.value = '1';
      range.dispatchEvent(new Event('input'));
      const ten = at().sub(rest).length();
      const q = app.q()[app.model.bodies[body].q];
      range.value = '0';
      range.dispatchEvent(new Event('input'));
      return { part: ten / once, q, end: at().sub(rest).length() / once };
    });
    check(Math.abs(times.part - 10) < 0.02 && times.q === 1e-3 && Math.abs(times.end - 1) < 1e-12, JSON.stringify(times));
    soa('flex', join(ROOT, 'examples/flex/blade.inp'), '--clamp', 'ROOT', '--interface', 'TIP', '--modes', '4', '-o', join(folder, 'blade.yaml'));
    await give(page, { 'arm.yaml': 'soa: 1\nname: blade-arm\nlinks:\n  - name: blade\n    joint: {name: motor, type: revolute, axis: [0, 1, 0]}\n    flexible: {file: blade.yaml}\n', 'blade.yaml': readFileSync(join(folder, 'blade.yaml')) });
    check(await page.evaluate(() => window.soa.app.path === 'arm.yaml' && window.soa.app.robot.bent.get(0)?.shape.kind === 'nodes'), await message(page));
    await page.keyboard.press('4'); // its mass matrix and the factors
    const factors = await page.textContent('#factors');
    check(Number(/: (\S+)$/.exec(factors)?.[1]) < 1e-9 && !(await page.$('#message.bad:not([hidden])')), factors);
  },
  async 'joints close loops, and modes are what their sliders say'(browser) {
    const page = await browser.open();
    await example(page, 'models/flexible-four-bar.yaml');
    const turned = await page.evaluate(() => {
      const { app } = window.soa;
      const ranges = document.querySelectorAll('#joints input[type=range]');
      const set = (i, x) => { ranges[i].value = String(x); ranges[i].dispatchEvent(new Event('input')); return Array.from(app.q()); };
      const gap = () => { const at = app.points(); return Math.hypot(...[9, 10, 11].map((i) => at[i] - at[12 + i])); };
      const begin = app.q()[0];
      let worst = 0;
      let bent = 0;
      for (let i = 1; i <= 60; i++) {
        bent = Math.max(bent, ...set(0, begin + (2 * Math.PI * i) / 60).slice(2, 5).map(Math.abs));
        worst = Math.max(worst, gap());
      }
      set(0, begin + 1.2); // in one step
      return { bent, worst, q: set(2, 0.005), closed: gap() };
    });
    check(turned.bent < 1e-9, `turning the crank bends the coupler by ${turned.bent}`);
    check(turned.worst < 1e-9 && turned.closed < 1e-9, `the loop is open by ${turned.worst}, ${turned.closed}`);
    check(Math.abs(turned.q[2] - 0.005) < 1e-9 && Math.abs(turned.q[3]) < 1e-9 && Math.abs(turned.q[4]) < 1e-9, `modes ${turned.q.slice(2, 5)}`);
  },
  async 'a recording with modes plays'(browser) {
    soa('sim', join(ROOT, 'examples/scenarios/flexible-slew.yaml'), '--out', join(folder, 'slew'));
    soa('view', ARM, join(folder, 'slew'), '-o', join(folder, 'slew.html'));
    const page = await browser.open(join(folder, 'slew.html'));
    const q = await page.evaluate(() => { window.soa.simulation.seek(1.5); return Array.from(window.soa.app.q()); });
    const [names, ...rows] = readFileSync(join(folder, 'slew/result.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
    const row = rows.find((numbers) => Math.abs(Number(numbers[0]) - 1.5) < 1e-9);
    const wanted = names.map((name, i) => [name, Number(row[i])]).filter(([name]) => name.startsWith('q.'));
    check(wanted.length === 9 && wanted.some(([name]) => name === 'q.upper/flex.0'), names.join(' '));
    check(wanted.every(([, x], i) => Math.abs(x - q[i]) < 1e-12), `${q}`);
    const energy = await page.evaluate(() => Array.from(window.soa.app.energy()));
    const kinetic = Number(row[names.indexOf('energy.kinetic')]);
    const potential = Number(row[names.indexOf('energy.potential')]);
    check(Math.abs(energy[0] - kinetic) < 1e-9 && kinetic > 1e-5, `kinetic ${energy[0]}, not ${kinetic}`);
    check(Math.abs(energy[1] + energy[2] - potential) < 1e-9 && energy[2] > 1e-5, `stored ${energy[1]} and ${energy[2]}, not ${potential}`);
    check(/^kinetic \S+ J, gravity 0 J, elastic \S+ J$/.test(await page.textContent('#simulate .figures span')), await page.textContent('#simulate .figures'));
  },
  async 'a live simulation is that of soa sim, and links are pulled at their nodes'(browser) {
    const page = await browser.open();
    await example(page, 'models/flexible-arm.yaml');
    await slide(page);
    const { text, q } = await page.evaluate(() => {
      const { app, simulation } = window.soa;
      const scenario = simulation.scenario(1);
      simulation.begin();
      for (let i = 1; i <= 50; i++) simulation.advance(i / 50 - simulation.time());
      return { text: scenario, q: Array.from(app.q()) };
    });
    writeFileSync(join(folder, 'live.yaml'), text.replace(/^model: .*$/m, `model: ${ARM}`));
    soa('sim', join(folder, 'live.yaml'), '--out', join(folder, 'live'));
    const last = readFileSync(join(folder, 'live/result.csv'), 'utf8').trim().split('\n').at(-1).split(',').map(Number);
    const worst = Math.max(...q.map((x, i) => Math.abs(x - last[1 + i])));
    check(worst < 1e-6, `a coordinate is off by ${worst}`); // its tolerance is 1e-6
    console.log(`  ${worst}`);
    const bent = await page.evaluate(() => {
      const { app, simulation } = window.soa;
      simulation.end();
      const k = app.model.links.findIndex((link) => link.name === 'fore');
      const { node, local } = app.robot.bent.get(k).nearest(app.robot.bent.get(k).tip);
      app.library.numbers('grip', 3).set(local.toArray());
      app.library.numbers('target', 3).set(app.robot.bent.get(k).tip.toArray().map((x, i) => x + (i === 2 ? 0.02 : 0)));
      app.library.call('page_drag', k, node);
      app.library.run('page_reach');
      app.library.call('page_drag', -2, 0);
      const before = app.robot.bent.get(k).tip.z;
      app.update();
      return { node, moved: app.robot.bent.get(k).tip.z - before };
    });
    check(bent.node > 1 && Math.abs(bent.moved - 0.02) < 1e-6, JSON.stringify(bent)); // the joints turn about z: it bends
  },
});
