// Every tour runs through.
import { check, message, run } from './browser.js';

await run({
  async 'tours run through'(browser) {
    const page = await browser.open();
    await page.keyboard.press('6');
    const tours = await page.$$eval('.tour', (list) => list.length);
    check(tours === 4, `${tours} tours`);
    for (let i = 0; i < tours; i++) {
      await page.click(`.tour:nth-child(${i + 1})`);
      for (;;) {
        await page.waitForSelector('.card[data-ready=yes]', { timeout: 60000 });
        check(!(await page.$('#message.bad:not([hidden])')), `tour ${i}: ${await message(page)}`);
        const step = await page.getAttribute('.card', 'data-step');
        await page.click('.card .primary');
        if (step.split('/')[0] === step.split('/')[1]) break;
        await page.waitForFunction((before) => document.querySelector('.card').dataset.step !== before, step);
      }
      check(await page.isHidden('.card'), 'the tour does not end');
    }
  },
});
