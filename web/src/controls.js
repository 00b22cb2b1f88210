// Part of panel "Simulate": ground under the robot, joints that hold themselves, gains and targets of each of them.
import { button, h, short, slide } from './dom.js';
import { groundText } from './ground.js';

const GAINS = ['kp', 'kd', 'goal'];

export function controlsPanel(app, simulation) {
  let frequency = 2;
  let ratio = 0.7;
  let cells = []; // of each joint: inputs of kp, kd, target
  const box = (act) => h('input', { type: 'checkbox', onchange: (event) => app.try(() => act(event.target.checked)) });
  const ground = box((on) => { simulation.setGround(on); told(); });
  const hold = box((on) => { simulation.hold = on; if (on) simulation.tune(frequency, ratio, true); simulation.again(); told(); });
  const weight = box((on) => { simulation.weight = on; simulation.again(); });
  const note = h('p', { class: 'hint', hidden: true });
  const table = h('div', { class: 'gains' });
  const more = h('div', { hidden: true });
  const section = h('div', {});

  function tune() {
    simulation.tune(frequency, ratio);
    read();
  }

  function told() {
    note.hidden = !simulation.ground;
    note.textContent = simulation.ground ? groundText(simulation.ground) : '';
    more.hidden = !simulation.hold;
    if (simulation.hold) read();
  }

  /** The library's numbers into the table. */
  function read() {
    GAINS.forEach((name, c) => simulation.gains(name).forEach((x, j) => { if (document.activeElement !== cells[j]?.[c] && cells[j]) cells[j][c].value = short(x); }));
  }

  function cell(joint, j, c) {
    const input = h('input', { type: 'text', inputMode: 'decimal', 'aria-label': `${joint} ${['stiffness kp', 'damping kd', 'target'][c]}` });
    input.addEventListener('change', () => app.try(() => {
      const x = Number(input.value);
      if (!Number.isFinite(x) || input.value.trim() === '' || (c < 2 && x < 0)) { read(); throw new Error(`${joint}: give a ${c < 2 ? 'number that is not negative' : 'number'}`); }
      simulation.gains(GAINS[c])[j] = x;
      input.value = short(x);
    }));
    return input;
  }

  app.on('model', () => {
    ground.checked = hold.checked = weight.checked = false;
    const holders = simulation.holders();
    section.hidden = app.isScenario;
    hold.disabled = weight.disabled = holders.length === 0;
    cells = [];
    table.replaceChildren(h('span', {}, ''), ...['kp', 'kd', 'target'].map((text) => h('span', { class: 'faint' }, text)), ...holders.slice(0, 200).flatMap((body, j) => {
      const { joint, name } = app.model.links[body.link];
      cells.push(GAINS.map((_, c) => cell(joint.name || name, j, c)));
      return [h('span', { class: 'link' }, joint.name || name), ...cells[j]];
    }));
    if (holders.length > 200) table.append(h('span', { class: 'hint' }, `${holders.length - 200} joints more hold themselves, too.`));
    told();
  });
  app.on('goals', read);

  more.append(slide('frequency', 0.2, 8, 0.1, frequency, (x) => `${x.toFixed(1)} Hz`, (x) => { frequency = x; app.try(tune); }),
    slide('ratio', 0, 1.5, 0.05, ratio, (x) => x.toFixed(2), (x) => { ratio = x; app.try(tune); }),
    h('div', { class: 'bar' }, button('Targets here', () => app.try(() => { simulation.tune(frequency, ratio, true); read(); }), null, 'Hold the pose that is shown')),
    h('p', { class: 'hint' }, 'T = kp (target − q) − kd v. While it runs, the sliders of the joints set the targets.'),
    h('details', {}, h('summary', {}, 'Gains and targets of each joint'), table));
  section.append(h('h3', {}, 'What acts'),
    h('div', { class: 'checks' }, h('label', { class: 'check' }, ground, 'Ground'), h('label', { class: 'check' }, hold, 'Joints hold themselves (PD)'), h('label', { class: 'check' }, weight, 'Joints carry the weight (gravity compensation)')),
    note, more);
  return section;
}
