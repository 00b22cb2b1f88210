// Every built-in model is drawn, and real robots where they are there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { check, filesOf, give, message, run } from './browser.js';

const ROBOTS = process.env.SOA_ROBOTS || '';
const SOME = ['panda', 'ur5', 'cassie', 'anymal_c', 'go2', 'talos', 'iiwa14', 'kinova', 'baxter', 'allegro', 'mujoco_humanoid', 'delta', 'g1', 'romeo', 'solo12'];

await run({
  async 'every built-in model is drawn'(browser) {
    const page = await browser.open();
    const models = await page.$$eval('#models option', (options) => options.map((option) => option.value));
    check(models.length >= 10, `only ${models.length} models`);
    for (const model of models) {
      await page.selectOption('#models', model);
      await page.waitForFunction((name) => window.soa.app.path === name.replace('example:', ''), model, { timeout: 20000 });
      const about = await page.evaluate(() => ({ links: window.soa.app.model.links.length, parts: window.soa.app.robot.parts.flat().length }));
      check(about.links > 0 && about.parts > 0, `${model}: ${JSON.stringify(about)}`);
      check(!(await page.$('#message.bad:not([hidden])')), `${model}: ${await message(page)}`);
    }
  },
  async 'robots of other people are drawn'(browser) {
    const there = SOME.filter((name) => existsSync(join(ROBOTS, name)));
    if (there.length === 0) { console.log('(none is there)'); return; }
    const page = await browser.open();
    for (const name of there) {
      await page.evaluate((files) => { window.given = files; }, null);
      await give(page, filesOf(join(ROBOTS, name)));
      const about = await page.evaluate(() => ({ path: window.soa.app.path, links: window.soa.app.model.links.length, parts: window.soa.app.robot.parts.flat().length }));
      check(!about.path.startsWith('builtin:') && about.links > 1 && about.parts > 0, `${name}: ${JSON.stringify(about)} ${await message(page)}`);
      console.log(`  ${name}: ${about.path}, ${about.links} links, ${about.parts} shapes. ${await message(page)}`);
      await page.selectOption('#models', 'builtin:pendulum');
      await page.waitForFunction(() => window.soa.app.path === 'builtin:pendulum');
    }
  },
});
