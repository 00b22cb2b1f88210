// The page in use: keyboard alone, the pointer, small screens, light and dark.
import { check, message, run } from './browser.js';

await run({
  async 'everything by keyboard'(browser) {
    const page = await browser.open();
    const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
    await press('/');
    await page.keyboard.type('joint4');
    check(await page.$$eval('#joints .row:not([hidden])', (rows) => rows.length) === 1, 'search finds another number of links');
    await press('Tab', 'Tab', 'Tab', 'Tab'); // configuration, neutral, random, the slider
    const q = await page.evaluate(() => window.soa.app.q()[3]);
    await press('ArrowRight', 'ArrowRight');
    check(await page.evaluate(() => window.soa.app.q()[3]) > q, 'the slider does not move by arrow keys');
    await page.evaluate(() => document.activeElement.blur());
    await press('2', ' '); // the tab has the focus, space plays all the same
    await page.waitForFunction(() => window.soa.simulation.time() > 0.05, null, { timeout: 60000 });
    await press(' ');
    check(!(await page.evaluate(() => window.soa.simulation.running)), 'space does not pause');
    const t = await page.evaluate(() => window.soa.simulation.time());
    await press('.');
    check(Math.abs(await page.evaluate(() => window.soa.simulation.time()) - t - 0.01) < 1e-9, 'a step is not 10 ms');
    await press('r');
    check(await page.evaluate(() => window.soa.simulation.time()) === 0, 'r does not reset');
    await press('3');
    check(await page.evaluate(() => document.activeElement.id) === 'tab-operators', 'no focus on the tab');
    await press('ArrowRight');
    check(await page.isVisible('#matrices') && !await page.isVisible('#operators'), 'arrow keys do not change tabs');
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await press('t');
    check(await page.evaluate(() => document.documentElement.dataset.theme) !== theme, 't does not change the theme');
    await press('?');
    check(await page.isVisible('dialog'), 'no help');
    await press('Escape');
    await page.focus('#canvas');
    const before = await page.evaluate(() => window.soa.app.stage.camera.position.toArray());
    await press('ArrowLeft');
    check(await page.evaluate((b) => window.soa.app.stage.camera.position.toArray().some((x, i) => Math.abs(x - b[i]) > 1e-3), before), 'the view does not turn');
    // Every control can be reached and has a name.
    const nameless = await page.$$eval('button, input, select', (all) => all.filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim() || e.title) && e.id !== 'file').length);
    check(nameless === 0, `${nameless} controls without a name`);
  },
  async 'an expression with a fault shows where'(browser) {
    const page = await browser.open();
    await page.keyboard.press('3');
    await page.fill('#expression', 'phi beta');
    await page.waitForSelector('#operators pre.bad:not([hidden])');
    check(/\^/.test(await page.textContent('#operators pre.bad')), 'no caret');
    await page.fill('#expression', "H phi M phi' H'");
    await page.waitForSelector('#operators .recursion pre');
    check(await page.$('#operators math') !== null, 'no formula');
    await page.fill('#expression', "Mass = (I + H phi K) D (I + H phi K)'");
    await page.waitForSelector('#operators .verdict.proved');
    await page.click('#operators summary:text("Identities used")');
    await page.click('#operators details .chip'); // an identity that was used, looked at
    await page.waitForFunction(() => /=/.test(document.getElementById('expression').value) && !document.getElementById('expression').value.startsWith('Mass = (I'));
    await page.waitForSelector('#operators .verdict.proved');
  },
  async 'sweeps light the bodies'(browser) {
    const page = await browser.open();
    await page.keyboard.press('3');
    await page.waitForSelector('#operators .recursion pre');
    const order = await page.evaluate(async () => {
      const seen = [];
      const { player, app } = window.soa;
      player.pace = 20;
      const about = app.library.json('page_explain', 'Mass^-1 (T - C)', 0, 4);
      const lines = about.sweeps.split('\n').filter((line) => /^(in|out)ward/.test(line));
      await player.play('Mass^-1 (T - C)', lines.map((line) => ({ inward: line.startsWith('inward'), rows: [] })), (i, sweep, bodies) => { if (i >= 0) seen.push([i, bodies[0]]); });
      return { seen, values: player.about(3).map(([name]) => name) };
    });
    const wanted = [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5, 6]].flatMap((list, i) => list.map((body) => [i, body]));
    check(JSON.stringify(order.seen) === JSON.stringify(wanted), JSON.stringify(order.seen));
    for (const name of ['V', 'P', 'D', 'z', 'nu', 'y', 'alpha']) check(order.values.includes(name), `no ${name} at a body`);
  },
  async 'links are pulled with the mouse'(browser) {
    const page = await browser.open();
    const spot = await page.evaluate(() => {
      const { app, THREE } = window.soa;
      const p = new THREE.Vector3().setFromMatrixPosition(app.robot.link[6].matrix).project(app.stage.camera);
      const box = app.stage.canvas.getBoundingClientRect();
      return { x: box.left + (p.x + 1) / 2 * box.width, y: box.top + (1 - p.y) / 2 * box.height };
    });
    const before = await page.evaluate(() => Array.from(window.soa.app.q()));
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.move(spot.x + 20, spot.y + 15, { steps: 4 });
    const after = await page.evaluate(() => ({ q: Array.from(window.soa.app.q()), grip: Array.from(window.soa.app.library.numbers('target', 3)) }));
    await page.mouse.up();
    check(after.q.some((x, i) => Math.abs(x - before[i]) > 1e-3), 'the joints do not follow');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(' ');
    await page.mouse.move(spot.x + 20, spot.y + 15);
    await page.mouse.down();
    await page.mouse.move(spot.x + 40, spot.y - 80, { steps: 4 });
    await page.waitForFunction(() => window.soa.simulation.time() > 0.05, null, { timeout: 60000 });
    await page.mouse.up();
    check(!(await page.$('#message.bad:not([hidden])')), await message(page));
  },
  async 'a small screen'(browser) {
    const page = await browser.open(undefined, { viewport: { width: 390, height: 780 }, dark: true });
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), 'it is wider than the screen');
    const boxes = await page.evaluate(() => ['#stage', 'aside'].map((name) => document.querySelector(name).getBoundingClientRect().height));
    check(boxes.every((height) => height > 250), `heights ${boxes}`);
    check(await page.evaluate(() => document.documentElement.dataset.theme) === 'dark', 'not dark where the system is');
    for (const key of ['1', '2', '3', '4', '5', '6']) {
      await page.keyboard.press(key);
      check(await page.evaluate(() => document.getElementById('panels').scrollWidth <= 391), `tab ${key} is too wide`);
    }
  },
});
