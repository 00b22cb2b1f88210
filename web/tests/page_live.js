// What the page adds to a simulation: ground, joints that hold themselves, their weight; the exported scenario says the same.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, message, run } from './browser.js';

const soa = (...words) => execFileSync(process.env.SOA_PROGRAM, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
const folder = mkdtempSync(join(tmpdir(), 'soa-live-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Runs the page's simulation for some seconds and soa sim on its scenario; the largest difference of q at the end. */
async function compare(page, seconds) {
  const { text, q } = await page.evaluate((end) => {
    const { app, simulation } = window.soa;
    const scenario = simulation.scenario(end);
    simulation.begin();
    for (let i = 1; i <= 50 * end; i++) simulation.advance(i / 50 - simulation.time());
    return { text: scenario, q: Array.from(app.q()) };
  }, seconds);
  writeFileSync(join(folder, 's.yaml'), text);
  soa('sim', join(folder, 's.yaml'), '--out', join(folder, 's'));
  const last = readFileSync(join(folder, 's/result.csv'), 'utf8').trim().split('\n').at(-1).split(',').map(Number);
  rmSync(join(folder, 's'), { recursive: true });
  return Math.max(...q.map((x, i) => Math.abs(x - last[1 + i])));
}

await run({
  async 'joints hold themselves, by keyboard'(browser) {
    const page = await browser.open();
    await page.keyboard.press('2');
    await page.focus('#simulate label:has-text("Joints hold themselves") input');
    await page.keyboard.press(' ');
    await page.focus('#simulate label:has-text("Joints carry the weight") input');
    await page.keyboard.press(' ');
    check(await page.evaluate(() => window.soa.simulation.hold && window.soa.simulation.weight), 'the boxes do nothing');
    const worst = await compare(page, 2);
    check(worst < 1e-8, `soa sim differs by ${worst}`);
    const held = await page.evaluate(() => Math.max(...window.soa.simulation.gains('goal').map((x, i) => Math.abs(x - window.soa.app.q()[i]))));
    check(held < 1e-6, `carried and held it moves by ${held}`);
    // A slider sets the target of its joint while it runs; the joint goes there.
    const there = await page.evaluate(() => {
      const { app, simulation } = window.soa;
      const range = document.querySelectorAll('#joints input[type=range]')[3];
      range.value = '-1';
      range.dispatchEvent(new Event('input'));
      for (let i = 1; i <= 150; i++) simulation.advance(0.02);
      return { live: simulation.live, goal: simulation.gains('goal')[3], q: app.q()[3] };
    });
    check(there.live && there.goal === -1 && Math.abs(there.q + 1) < 0.02, JSON.stringify(there));
    // A gain of one joint, typed; and one that is none.
    await page.click('#simulate summary');
    const cell = '#simulate .gains input[aria-label="joint4 stiffness kp"]';
    await page.fill(cell, '12.5');
    await page.press(cell, 'Enter');
    check(await page.evaluate(() => window.soa.simulation.gains('kp')[3]) === 12.5, 'the gain is not taken');
    await page.fill(cell, 'much');
    await page.press(cell, 'Tab');
    check(/joint4/.test(await message(page)) && await page.evaluate(() => window.soa.simulation.gains('kp')[3]) === 12.5, await message(page));
    console.log(`  ${worst}, held to ${held}`);
  },
  async 'the ground carries a robot'(browser) {
    const page = await browser.open();
    await page.selectOption('#models', 'builtin:quadruped');
    await page.waitForFunction(() => window.soa.app.path === 'builtin:quadruped');
    await page.keyboard.press('2');
    await page.evaluate(() => document.activeElement.blur());
    await page.check('#simulate label:has-text("Ground") input');
    await page.check('#simulate label:has-text("Joints hold themselves") input');
    const worst = await compare(page, 0.5);
    check(worst < 1e-3, `soa sim differs by ${worst}`); // its tolerance is 1e-4
    const stands = await page.evaluate(() => {
      const { app, simulation } = window.soa;
      for (let i = 1; i <= 75; i++) simulation.advance(0.02);
      app.show('forces', true);
      const arrows = app.robot.marks.filter((mark) => mark.userData.arrow);
      const spots = app.robot.marks.filter((mark) => mark.isMesh);
      const count = app.library.call('page_loads');
      const loads = Array.from(app.library.numbers('load', 10 * count));
      const up = loads.filter((_, i) => i % 10 === 8).reduce((sum, f) => sum + f, 0);
      return { spots: spots.length, arrows: arrows.length, up, weight: app.model.mass * 9.81, kinetic: app.energy()[0], low: Math.max(...spots.map((spot) => Math.abs(spot.position.z - simulation.ground.floor))) };
    });
    console.log(`  ${worst}, ${JSON.stringify(stands)}`);
    check(stands.spots >= 3 && stands.arrows === stands.spots && stands.low < 1e-9, 'contact points are not drawn on the ground');
    check(Math.abs(stands.up / stands.weight - 1) < 0.05 && stands.kinetic < 1, 'the ground does not carry its weight');
  },
});
