// Panel "Simulate": live simulation, recordings and their time line, plots, exports.
import { button, h, icon, save, say, short, slide } from './dom.js';
import { controlsPanel } from './controls.js';
import { groundLines, layGround } from './ground.js';
import { drawPlot, inkOf } from './plot.js';

const MOST_ROWS = 20000;

/** A recording: t, and columns of numbers by name. */
export function readRecording(text) {
  const lines = text.split(/\r?\n/).filter((line) => line && !line.startsWith('#'));
  const names = (lines.shift() || '').split(',').map((name) => name.trim().replace(/^"|"$/g, ''));
  if (names[0] !== 't' || lines.length === 0) throw new Error('not a recording of soa: its first line must name columns, "t" first');
  const columns = names.map(() => []);
  for (const [i, line] of lines.entries()) {
    const numbers = line.split(',').map(Number);
    if (numbers.length !== names.length || numbers.some((x) => !Number.isFinite(x))) throw new Error(`recording, line ${i + 2}: ${names.length} finite numbers are wanted`);
    numbers.forEach((x, k) => columns[k].push(x));
  }
  return { names, columns };
}

/** Where the numbers of q, or of v, are among the columns; null: some are absent. */
function columnsOf(signal, model, recording) {
  const at = new Array(model[`n${signal}`]).fill(-1);
  for (const body of model.bodies) {
    const link = model.links[body.link];
    const count = body[`n${signal}`];
    for (let i = 0; i < count; i++) {
      const name = body.flexible ? `${link.name}/flex.${i}` : `${link.joint.name || link.name}${count > 1 ? `.${i}` : ''}`;
      at[body[signal] + i] = recording.names.indexOf(`${signal}.${name}`);
    }
  }
  return at.includes(-1) ? null : at;
}

export class Simulation {
  constructor(app) {
    this.app = app;
    this.speed = 1;
    this.damping = 0;
    this.mouse = true;
    this.hold = false; // joints hold themselves
    this.weight = false; // their weight is carried
    this.ground = null; // what touches it
    app.steer = (body, x) => this.steer(body, x);
    app.goalOf = (body) => this.goalOf(body);
    app.on('stop', () => this.stop());
    app.on('pause', () => { if (this.running) this.toggle(false); this.end(); });
    app.on('recording', (text) => app.try(() => this.play(readRecording(text))));
    app.on('model', () => { this.recording = null; this.rows = null; this.hold = false; this.weight = false; this.ground = null; app.contacting = false; this.tell(); });
  }

  tell() { this.app.tell('simulation'); }

  get live() { return this.started === true; }

  /** A simulation from the state that is shown. */
  begin() {
    this.recording = null;
    if (this.ground) this.ground = layGround(this.app);
    this.app.library.run('page_sim_start', this.damping, (this.mouse ? 1 : 0) + (this.hold ? 2 : 0) + (this.weight ? 4 : 0));
    this.started = true;
    this.signals = this.app.library.json('page_signals');
    this.rows = { names: this.signals, columns: this.signals.map(() => []) };
    this.record();
  }

  // ---- controllers ----------------------------------------------------------------------------

  /** Bodies whose joints can hold themselves, in the order of the library's gains. */
  holders() { return this.app.model.bodies.map((body, k) => ({ ...body, k })).filter((body) => body.nq === 1 && !body.flexible); }

  gains(name) { return this.app.library.numbers(name, this.holders().length); }

  /** Gains for a frequency and a damping ratio; targets stay, or are where the joints are now. */
  tune(frequency, ratio, here = false) {
    const goals = this.gains('goal').slice();
    this.app.library.run('page_tune', frequency, ratio);
    if (!here) this.gains('goal').set(goals);
  }

  /** A target for the joint of a body; whether its joint holds itself. */
  steer(body, x) {
    if (!this.live || !this.hold) return false;
    const j = this.holders().findIndex(({ k }) => k === body);
    if (j < 0) return false;
    this.gains('goal')[j] = x;
    this.app.tell('goals');
    return true;
  }

  goalOf(body) {
    if (!this.live || !this.hold) return undefined;
    const j = this.holders().findIndex(({ k }) => k === body);
    return j < 0 ? undefined : this.gains('goal')[j];
  }

  /** Shapes may touch the ground from now on, or not. */
  setGround(on) {
    this.app.contacting = on;
    this.ground = on ? layGround(this.app) : null;
    if (!on) { this.app.library.run('page_contacts_clear'); this.app.loads(); }
    this.again();
  }

  /** A running simulation with what has been switched; it goes on from the state that is shown. */
  again() { if (this.live) this.begin(); }

  record() {
    const { library } = this.app;
    const at = library.call('page_signal_values');
    if (!at || this.rows.columns[0].length >= MOST_ROWS) return;
    library.doubles(at, this.signals.length).forEach((x, i) => this.rows.columns[i].push(x));
  }

  toggle(on = !this.running) {
    if (on && !this.recording && !this.live) this.begin();
    this.running = on;
    this.last = performance.now();
    if (on) requestAnimationFrame(() => this.frame());
    this.tell();
  }

  frame() {
    if (!this.running) return;
    const now = performance.now();
    const dt = Math.min((now - this.last) / 1000, 1 / 10) * this.speed;
    this.last = now;
    this.app.try(() => (this.recording ? this.seek(this.at + dt, true) : this.advance(dt))).then((ok) => {
      if (!ok) this.toggle(false);
      else if (this.running) requestAnimationFrame(() => this.frame());
    });
  }

  /** dt seconds of the simulation; long steps in parts, so that curves have points. */
  advance(dt) {
    const { library } = this.app;
    const begin = performance.now();
    const until = this.time() + dt;
    library.run('page_sim_advance', until);
    this.cost = 0.9 * (this.cost ?? 0) + 0.1 * (performance.now() - begin); // of the library, smoothed: clocks of browsers are coarse
    this.record();
    this.app.update();
    const duration = library.call('page_duration');
    if (library.call('page_sim_stopped') || (duration > 0 && this.time() >= duration)) this.toggle(false);
    this.tell();
  }

  time() { return this.recording ? this.at : this.live ? this.app.library.call('page_sim_time') : 0; }

  step() {
    this.app.try(() => {
      if (this.running) this.toggle(false);
      if (this.recording) this.seek(this.at + 0.01);
      else { if (!this.live) this.begin(); this.advance(0.01); }
    });
  }

  /** The simulation is given up; the state stays as it is. */
  end() {
    if (!this.live) return;
    this.app.library.call('page_sim_stop');
    this.started = false;
    this.tell();
  }

  stop() { this.running = false; this.end(); this.recording = null; }

  reset() {
    this.app.try(() => {
      const replay = this.recording;
      this.running = false;
      this.end();
      if (replay) this.seek(replay.columns[0][0]);
      else this.app.setState(this.app.start.q, this.app.start.v);
      this.tell();
    });
  }

  // ---- recordings ---------------------------------------------------------------------------

  play(recording) {
    this.stop();
    this.qAt = columnsOf('q', this.app.model, recording);
    this.vAt = columnsOf('v', this.app.model, recording);
    if (!this.qAt) throw new Error('the recording has not every q of this model; record q (in the scenario: signals: [q])');
    this.recording = recording;
    this.rows = recording;
    this.seek(recording.columns[0][0]);
  }

  seek(t, wrap = false) {
    const times = this.recording.columns[0];
    const end = times[times.length - 1];
    this.at = wrap && t > end ? times[0] : Math.min(Math.max(t, times[0]), end);
    let k = times.findIndex((x) => x >= this.at - 1e-12);
    if (k < 0) k = times.length - 1;
    const before = Math.max(0, k - 1);
    const part = times[k] > times[before] ? (this.at - times[before]) / (times[k] - times[before]) : 1;
    const between = (c) => this.recording.columns[c][before] * (1 - part) + this.recording.columns[c][k] * part;
    const q = this.qAt.map(between);
    for (const body of this.app.model.bodies) { // between two quaternions: the straight way, made unit
      if (body.nq === body.nv) continue;
      const n = Math.hypot(...q.slice(body.q, body.q + 4));
      for (let i = 0; i < 4; i++) q[body.q + i] /= n || 1;
    }
    this.app.setState(q, this.vAt?.map(between));
    this.tell();
  }

  // ---- exports ------------------------------------------------------------------------------

  state() {
    return JSON.stringify({ states: [{ q: Array.from(this.app.q()), v: Array.from(this.app.v()) }] }, null, 1);
  }

  /** The same motion for soa sim. */
  scenario(duration = 10) {
    const { app } = this;
    if (app.isScenario) return new TextDecoder().decode(app.files.get(app.path));
    const list = (numbers) => `[${Array.from(numbers).join(', ')}]`;
    const name = (body) => JSON.stringify(app.model.links[body.link].joint.name || app.model.links[body.link].name);
    const joints = this.holders();
    const forces = this.damping > 0 ? app.model.bodies.filter((body) => !body.flexible && body.nv > 0).map((body) => `  - {kind: joint-damper, joint: ${name(body)}, damping: ${this.damping}}`) : [];
    if (this.ground) forces.push(...groundLines(app, this.ground));
    const controllers = [];
    if (this.hold) {
      controllers.push(`  - {kind: pd, name: hold, joints: [${joints.map(name).join(', ')}], kp: ${list(this.gains('kp'))}, kd: ${list(this.gains('kd'))}, `
        + `target: {${joints.map((body, j) => `${name(body)}: ${this.gains('goal')[j]}`).join(', ')}}}`);
    }
    if (this.weight) controllers.push(`  - {kind: gravity, name: weight, joints: [${joints.map(name).join(', ')}]}`);
    return `${['soa: 1', 'scenario: from-the-page', `model: ${JSON.stringify(app.path)}`, `gravity: ${list(app.model.gravity)}`, `duration: ${duration}`,
      `initial: {q: ${list(app.q())}, v: ${list(app.v())}, consistent: true}`, `integrator: ${app.library.plain('page_integrator')}`,
      ...(forces.length > 0 ? ['forces:', ...forces] : []), ...(controllers.length > 0 ? ['controllers:', ...controllers] : []),
      'record: {every: 0.02, signals: [q, v, energy]}'].join('\n')}\n`;
  }
}

export function simulatePanel(app, simulation) {
  const play = button('Play', () => app.try(() => simulation.toggle()), 'play', 'Play or pause (space)');
  const clock = h('output', { class: 'clock', id: 'clock' }, '0.00 s');
  const cost = h('span', {});
  const line = h('input', { type: 'range', min: '0', max: '1', step: 'any', value: '0', 'aria-label': 'Time', class: 'timeline' });
  const energy = h('span', {});
  const canvas = h('canvas', { class: 'plot', 'aria-label': 'Plot of the chosen signals' });
  const chosen = h('div', { class: 'chips' });
  const choose = h('select', { 'aria-label': 'Signal to plot' });
  const curves = [];

  line.addEventListener('input', () => app.try(() => { if (simulation.recording) simulation.seek(Number(line.value)); }));
  choose.addEventListener('change', () => {
    if (choose.value && !curves.includes(choose.value) && curves.length < 8) curves.push(choose.value);
    choose.value = '';
    chips();
  });

  function chips() {
    chosen.replaceChildren(...curves.map((name, i) => h('button', { type: 'button', class: 'chip', title: `Remove ${name}`, onclick: () => { curves.splice(i, 1); chips(); } },
      h('i', { style: `background:${inkOf(i)}` }), name)));
    draw();
  }

  function draw() {
    const rows = simulation.rows;
    canvas.hidden = !rows || rows.columns[0].length < 2 || curves.length === 0;
    if (canvas.hidden) return;
    const step = Math.max(1, Math.floor(rows.columns[0].length / 1200));
    const thin = (column) => column.filter((_, i) => i % step === 0 || i === column.length - 1);
    const t = thin(rows.columns[0]);
    const found = curves.filter((name) => rows.names.includes(name)).map((name) => {
      const y = thin(rows.columns[rows.names.indexOf(name)]);
      return { name, t, y, low: y.reduce((a, b) => Math.min(a, b)), high: y.reduce((a, b) => Math.max(a, b)) };
    });
    if (found.length > 0) drawPlot(canvas, found, simulation.recording ? simulation.at : undefined);
  }

  let known = null;
  function signals() {
    const names = simulation.rows?.names;
    if (!names || names === known) return;
    known = names;
    choose.replaceChildren(h('option', { value: '' }, 'Plot a signal…'), ...names.slice(1).map((name) => h('option', { value: name }, name)));
    for (let i = curves.length - 1; i >= 0; i--) if (!names.includes(curves[i])) curves.splice(i, 1);
    if (curves.length === 0) curves.push(...names.filter((name) => name.startsWith('energy')).slice(0, 2), ...names.filter((name) => /^q\..*[^\d.]\d?$/.test(name) && !/\.\d+$/.test(name)).slice(0, 2));
    chips();
  }

  function refresh() {
    play.replaceChildren(icon(simulation.running ? 'pause' : 'play'), h('span', {}, simulation.running ? 'Pause' : 'Play'));
    clock.textContent = `${simulation.time().toFixed(2)} s`;
    cost.textContent = simulation.live && simulation.cost !== undefined ? ` · ${simulation.cost.toFixed(2)} ms per frame` : '';
    line.hidden = !simulation.recording;
    if (simulation.recording) {
      const times = simulation.recording.columns[0];
      line.min = String(times[0]);
      line.max = String(times[times.length - 1]);
      line.value = String(simulation.at);
    }
    const [kinetic, gravity, elastic] = app.model ? app.energy() : [0, 0, 0];
    const known = !simulation.recording || simulation.vAt; // a recording may be without v
    const springs = elastic !== 0 || app.model?.bodies.some((body) => body.flexible);
    energy.textContent = [known ? `kinetic ${short(kinetic)} J` : '', `gravity ${short(gravity)} J`, springs ? `elastic ${short(elastic)} J` : ''].filter(Boolean).join(', ');
    signals();
    draw();
  }
  app.on('simulation', refresh);
  app.on('state', () => { if (!simulation.running) refresh(); });

  let down = [0, 0, -1];
  const setGravity = (x) => app.try(() => {
    const wasRunning = simulation.running;
    simulation.running = false;
    simulation.end();
    app.model.gravity = down.map((g) => g * x);
    app.library.run('page_gravity', ...app.model.gravity);
    if (wasRunning) simulation.toggle(true);
    app.update();
  });
  const gravity = slide('gravity', 0, 20, 0.01, 9.81, (x) => `${x.toFixed(2)} m/s²`, setGravity);
  app.on('model', () => {
    const size = Math.hypot(...app.model.gravity);
    down = size > 0 ? app.model.gravity.map((g) => g / size) : [0, 0, -1];
    gravity.set(size);
    gravity.hidden = app.isScenario;
  });

  const section = h('section', { id: 'simulate' },
    h('div', { class: 'bar' }, play, button('Step', () => simulation.step(), 'step', 'One step of 10 ms (.)'), button('Reset', () => simulation.reset(), 'reset', 'Back to the start (r)'), clock),
    line,
    slide('speed', 0.1, 4, 0.1, 1, (x) => `${x.toFixed(1)}×`, (x) => { simulation.speed = x; }),
    gravity,
    slide('damping', 0, 5, 0.05, 0, (x) => `${x.toFixed(2)}`, (x) => { simulation.damping = x; app.try(() => simulation.again()); }),
    controlsPanel(app, simulation),
    h('p', { class: 'hint' }, 'Pull a link with the mouse: while the simulation runs a spring pulls it, while it rests the joints follow.'),
    h('p', { class: 'faint figures' }, energy, cost), choose, chosen, canvas,
    h('h3', {}, 'Keep'),
    h('div', { class: 'bar wrap' },
      button('State', () => app.try(() => save('state.json', simulation.state(), 'application/json')), null, 'Save the state for soa compute --states'),
      button('Scenario', () => app.try(() => save('scenario.yaml', simulation.scenario(), 'text/yaml')), null, 'Save a scenario for soa sim'),
      button('Recording', () => app.try(() => {
        if (!simulation.rows) { say('nothing has been simulated yet'); return; }
        const { names, columns } = simulation.rows;
        save('result.csv', `${names.join(',')}\n${columns[0].map((_, i) => columns.map((c) => c[i]).join(',')).join('\n')}\n`, 'text/csv');
      }), null, 'Save the signals as CSV'),
      button('Model', () => app.try(() => save('model.yaml', app.library.plain('page_yaml'), 'text/yaml')), null, 'Save the model as native YAML')));
  section.seen = (on) => { if (on) refresh(); };
  return section;
}
