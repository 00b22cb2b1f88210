// Panel "Operators": an expression explained, proved, played over the robot; Mass and its factors as pictures.
import katex from 'katex';
import 'katex/dist/katex.min.css';
import { button, h, short } from './dom.js';
import { difference, multiply, transpose } from './math.js';
import { FORMULA, labelLink, LABELS, openTheory, withLabels } from './theory.js';

const INWARD = 0xd9812f;
const OUTWARD = 0x2f7fb3;
const SAMPLES = ['Mass^-1 (T - C)', "H phi M phi' H'", '(I - H psi K) H phi = H psi', "J Mass^-1 J'", "Mass = (I + H phi K) D (I + H phi K)'"];

/** LaTeX as a formula, with MathML for screen readers; what KaTeX cannot read stays text. */
export function formula(latex, block = false) {
  const place = h(block ? 'div' : 'span', { class: 'formula' });
  const tidy = latex.split('\n').filter((line) => !line.trim().startsWith('%')).join('\n');
  katex.render(tidy, place, { output: 'htmlAndMathml', throwOnError: false, displayMode: block, trust: false });
  return place;
}

/** The sweeps in the text of an explanation: [{inward, rows: [{name, text}]}]. */
export function readSweeps(text) {
  const sweeps = [];
  for (const line of text.split('\n')) {
    const head = /^(inward|outward)\s+for/.exec(line);
    const row = /^\s+([A-Za-z_~]+\d*)\([kjp,]+\)\s*=/.exec(line);
    if (head) sweeps.push({ inward: head[1] === 'inward', rows: [] });
    else if (row && sweeps.length > 0) sweeps.at(-1).rows.push({ name: row[1], text: line.trim().replace(/\s+/g, ' ') });
  }
  return sweeps;
}

/** What the filter works on, X of Mass^-1 X; forward dynamics if the expression does not say. */
function operandOf(expression) {
  const found = /^\s*Mass\^-1\s+(.+)$/.exec(expression) || /^\s*\(I - H psi K\)' D\^-1 \(I - H psi K\)\s+(.+)$/.exec(expression);
  return found && !/betadot|f_c/.test(found[1]) ? found[1] : 'T - C';
}

/** Values of the quantities of a recursion at every body, as expressions of the same language. */
function valuesOf(app, expression) {
  const x = `(${operandOf(expression)})`;
  const filter = `(I - H psi K) ${x}`;
  const solved = `(I - H psi K)' D^-1 ${filter}`;
  const alpha = operandOf(expression) === 'T - C' ? `phi' (H' ${solved} + a)` : `phi' H' ${solved}`; // accelerations of the bodies
  const wanted = { V: 'V', a: 'a', b: 'b', P: 'P', D: 'D', z: `psi K ${x}`, eps2: filter, nu: `D^-1 ${filter}`, lambda: `psi' H' D^-1 ${filter}`, y: solved, alpha };
  const values = {};
  let problem = null;
  for (const [name, text] of Object.entries(wanted)) {
    try { [values[name]] = app.library.json('page_values', text, 0); } catch (refusal) { problem ??= refusal.message; } // a singular D, a flexible link
  }
  values.eps = values.eps2;
  return { values, problem: Object.values(values).some(Boolean) ? null : problem };
}

/** The part of a value at a body, in words. */
function valueAt(app, value, body) {
  if (!value) return null;
  const b = app.model.bodies[body];
  const size = value.space === 'body' ? 6 : b.nv;
  const at = value.space === 'body' ? 6 * body : b.v;
  if (value.cols === 1) return value.value.slice(at, at + size).map(short).join('  ');
  const diagonal = Array.from({ length: size }, (_, i) => value.value[(at + i) * value.cols + at + i]);
  return `diagonal ${diagonal.map(short).join('  ')}`;
}

/** Bodies in the order in which a sweep reaches them: levels from the base, or from the tips. */
export function levels(bodies, inward) {
  const level = new Array(bodies.length).fill(0);
  if (inward) for (let k = bodies.length - 1; k >= 0; k--) { const p = bodies[k].parent; if (p >= 0) level[p] = Math.max(level[p], level[k] + 1); }
  else for (let k = 0; k < bodies.length; k++) if (bodies[k].parent >= 0) level[k] = level[bodies[k].parent] + 1;
  const list = [];
  level.forEach((l, k) => { (list[l] ||= []).push(k); });
  return list;
}

export class SweepPlayer {
  constructor(app) {
    this.app = app;
    this.pace = 1;
    app.on('stop', () => this.stop());
    app.on('posed', () => { this.values = null; });
  }

  /** Plays the sweeps over the robot; told of each level. Ends early if stopped. */
  async play(expression, sweeps, tell) {
    this.stop();
    const mine = this.turn = {};
    this.expression = expression;
    this.read();
    for (const [i, sweep] of sweeps.entries()) {
      const order = levels(this.app.model.bodies, sweep.inward);
      const pause = Math.max(90, Math.min(420, 3600 / order.length)) / this.pace;
      for (const [l, bodies] of order.entries()) {
        if (this.turn !== mine) return false;
        order.forEach((some, m) => some.forEach((body) => this.app.robot.light(body, sweep.inward ? INWARD : OUTWARD, m === l ? 1 : m < l ? Math.max(0.28, 0.8 - 0.16 * (l - m)) : 0)));
        this.app.stage.ask();
        tell?.(i, sweep, bodies);
        await new Promise((done) => { setTimeout(done, pause); });
      }
    }
    if (this.turn === mine) { this.app.robot.dark(); this.app.stage.ask(); tell?.(-1); }
    return true;
  }

  stop() {
    this.turn = null;
    this.app.robot?.dark();
    this.app.stage.ask();
  }

  read() { ({ values: this.values, problem: this.problem } = valuesOf(this.app, this.expression)); }

  /** Lines of text about a body: what passes there. */
  about(body) {
    if (!this.values && this.expression) this.read();
    if (!this.values) return [];
    if (this.problem) return [['', this.problem]];
    return Object.entries(this.values).filter(([name]) => name !== 'eps2').map(([name, value]) => [name, valueAt(this.app, value, body)]).filter(([, text]) => text);
  }
}

// ---- matrices ----------------------------------------------------------------------------------

/** Numbers as colours: blue negative, orange positive, by the fourth root so that small ones are seen. */
function paintMatrix(canvas, m) {
  const pen = canvas.getContext('2d');
  canvas.width = m.cols;
  canvas.height = m.rows;
  const picture = pen.createImageData(m.cols, m.rows);
  let most = 0;
  m.value.forEach((x) => { most = Math.max(most, Math.abs(x)); });
  const dark = document.documentElement.dataset.theme === 'dark';
  const base = dark ? [30, 35, 43] : [250, 250, 251];
  for (let i = 0; i < m.value.length; i++) {
    const part = most > 0 && Math.abs(m.value[i]) > 1e-13 * most ? 0.12 + 0.88 * Math.abs(m.value[i] / most) ** 0.35 : 0;
    const ink = m.value[i] < 0 ? [38, 112, 176] : [214, 118, 30];
    for (let c = 0; c < 3; c++) picture.data[4 * i + c] = base[c] + (ink[c] - base[c]) * part;
    picture.data[4 * i + 3] = 255;
  }
  pen.putImageData(picture, 0, 0);
}

function matrixView(label, latex) {
  const canvas = h('canvas', { class: 'matrix', role: 'img', 'aria-label': label });
  const size = h('span', { class: 'faint' });
  const value = h('span', { class: 'faint figures' });
  let shown = null;
  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect();
    const i = Math.floor(((event.clientY - box.top) / box.height) * shown.rows);
    const j = Math.floor(((event.clientX - box.left) / box.width) * shown.cols);
    value.textContent = `(${i + 1}, ${j + 1}) = ${short(shown.value[i * shown.cols + j] ?? 0)}`;
  });
  canvas.addEventListener('pointerleave', () => { value.textContent = ''; });
  const figure = h('figure', {}, canvas, h('figcaption', {}, formula(latex), ' ', size, value));
  figure.show = (m) => { shown = m; size.textContent = `${m.rows} × ${m.cols}`; paintMatrix(canvas, m); };
  return figure;
}

export function matrixPanel(app) {
  const mass = matrixView('Mass matrix', '\\mathcal{M}');
  const left = matrixView('I + H phi K', 'I + H\\phi K');
  const middle = matrixView('D', 'D');
  const right = matrixView('(I + H phi K) adjoint', '(I + H\\phi K)^*');
  const product = matrixView('Product of the factors', '(I + H\\phi K)\\,D\\,(I + H\\phi K)^*');
  const newton = matrixView('H phi', 'H\\phi');
  const inertia = matrixView('M', 'M');
  const note = h('p', { class: 'faint figures', id: 'factors' });
  const parts = h('div', {});
  const all = h('div', {});
  let seen = false;

  /** The factors, or the reason why there are none. */
  function factors(m) {
    const get = (text) => app.library.json('page_values', text, 0)[0];
    const l = get('I + H phi K');
    const d = get('D');
    const p = multiply(multiply(l, d), transpose(l));
    left.show(l); middle.show(d); right.show(transpose(l)); product.show(p);
    newton.hidden = inertia.hidden = app.model.bodies.length > 40;
    if (!newton.hidden) { newton.show(get('H phi')); inertia.show(get('M')); }
    return `Largest difference between the product and the mass matrix: ${difference(m, p).toExponential(1)}`;
  }

  function refresh() {
    if (!seen || !app.model || app.model.nv === 0) return;
    all.hidden = app.model.nv > 120;
    if (all.hidden) { note.textContent = `${app.model.nv} velocities are too many to draw as a matrix; at most 120 are drawn.`; return; }
    app.try(() => {
      const m = { rows: app.model.nv, cols: app.model.nv, value: app.library.json('page_mass') };
      mass.show(m);
      try {
        note.textContent = factors(m);
        parts.hidden = false;
      } catch (refusal) { // the language does not take this model; its mass matrix is there all the same
        parts.hidden = true;
        note.textContent = `The factors are not shown: ${refusal.message}.`;
      }
    });
  }
  app.on('posed', refresh);
  app.on('model', refresh);
  app.on('simulation', () => { if (performance.now() - (refresh.last || 0) > 120) { refresh.last = performance.now(); refresh(); } });
  app.on('theme', refresh);
  const section = h('section', { id: 'matrices' },
    h('p', { class: 'hint' }, 'The mass matrix, its factors and their product, at the pose that is shown. Move a joint and watch.'),
    all, note);
  parts.append(h('div', { class: 'factors' }, left, middle, right), product, h('h3', {}, 'As Newton and Euler write it: ', formula('\\mathcal{M} = H\\phi\\, M\\, \\phi^* H^*')), h('div', { class: 'factors' }, newton, inertia));
  all.append(mass, parts);
  section.seen = (on) => { seen = on; refresh(); };
  return section;
}

// ---- the panel -----------------------------------------------------------------------------------

export function operatorsPanel(app, player) {
  const input = h('input', { type: 'text', id: 'expression', value: SAMPLES[0], spellcheck: false, autocomplete: 'off', 'aria-label': 'Expression of operators, or an equation' });
  const result = h('div', { class: 'result', 'aria-live': 'polite' });
  const problem = h('pre', { class: 'bad', hidden: true });
  const play = button('Play the sweeps', () => start(), 'play');
  const hover = document.getElementById('values'); // over the stage: what passes at a body
  let sweeps = [];
  let identities = null; // label: text
  let rows = [];
  let timer = 0;

  function recursion(text) {
    rows = [];
    return h('div', { class: 'recursion' }, readSweeps(text).map((sweep) => h('div', { class: sweep.inward ? 'inward' : 'outward' },
      h('h4', {}, sweep.inward ? 'inward, from the tips to the base' : 'outward, from the base to the tips'),
      (() => {
        const list = h('pre', {}, sweep.rows.flatMap((row) => [row.text, ' ', LABELS.has(FORMULA[row.name]) ? labelLink(FORMULA[row.name]) : null, '\n']));
        rows.push(list);
        return list;
      })())));
  }

  function details(title, text, open = false) {
    return text ? h('details', { open }, h('summary', {}, title), typeof text === 'string' ? h('pre', {}, withLabels(text)) : text) : null;
  }

  function explain() {
    const text = input.value.trim();
    const equation = /[^<>=]=[^=]/.test(text) && !/;/.test(text);
    problem.hidden = true;
    player.stop();
    if (!text) { result.replaceChildren(); return; }
    try {
      const about = app.library.json('page_explain', text, equation ? 1 : 0, 4);
      sweeps = equation ? [] : readSweeps(about.sweeps || '');
      play.disabled = sweeps.length === 0;
      result.replaceChildren(...(equation ? proof(about) : expression(about)).filter(Boolean));
    } catch (fault) {
      sweeps = [];
      play.disabled = true;
      result.replaceChildren();
      problem.textContent = fault.message;
      problem.hidden = false;
    }
  }

  /** The identities that a text names by their labels. */
  function named(text) {
    identities ??= app.library.json('page_identities');
    const labels = [...new Set([...(text || '').matchAll(/\[([A-Z]\w*)\]/g)].map((found) => found[1]))].filter((label) => identities[label]);
    return labels.length === 0 ? null : details('Identities used', h('dl', { class: 'about' }, labels.flatMap((label) => [h('dt', {}, labelLink(label)),
      h('dd', {}, h('button', { type: 'button', class: 'chip', title: 'Look at this identity', onclick: () => section.type(identities[label].replaceAll('*', "'")) }, identities[label]))])));
  }

  function expression(about) {
    const cost = /^cost\s+(.*)$/m.exec(about.sweeps || '');
    return [formula(about.latex, true),
      h('dl', { class: 'about' }, h('dt', {}, 'Type'), h('dd', {}, about.type || ''), h('dt', {}, 'Cost'), h('dd', {}, cost ? cost[1] : '–'),
        h('dt', {}, 'Cheapest'), h('dd', {}, about.cheapest ? about.cheapest : '–')),
      recursion(about.sweeps || ''), details('Explain like the paper', about.recursion ? paper(about) : null),
      details('How the cheapest form follows', about.simpler), named(about.simpler), details('Seven levels, down to coordinates', about.levels)];
  }

  /** The recursion in the letters of the papers, and the formulas that its quantities come from. */
  function paper(about) {
    const used = [...new Set(readSweeps(about.sweeps || '').flatMap((sweep) => sweep.rows.map((row) => FORMULA[row.name])).filter((label) => LABELS.has(label)))];
    return h('div', {}, formula(about.recursion, true), h('p', { class: 'hint' }, 'Formulas: ', used.flatMap((label) => [labelLink(label), ' ']),
      h('button', { type: 'button', class: 'label', onclick: () => openTheory() }, 'all of the theory')));
  }

  function proof(about) {
    return [formula(about.latex, true), h('p', { class: `verdict ${about.verdict}` }, (about.proof || '').split('\n')[0]),
      details('Steps', about.steps ? formula(about.steps.replaceAll('&& \\text{by [', '\\quad \\text{['), true) : null, true), named(about.proof), details('As text', about.proof)];
  }

  async function start() {
    if (sweeps.length === 0) return;
    app.tell('pause');
    play.querySelector('span').textContent = 'Playing…';
    await app.try(() => player.play(input.value.trim(), sweeps, (i, sweep, bodies) => {
      rows.forEach((row, k) => row.parentElement.classList.toggle('now', k === i));
      if (i >= 0) { rows[i]?.scrollIntoView({ block: 'nearest' }); app.tell('hover', bodies[0]); }
    }));
    play.querySelector('span').textContent = 'Play the sweeps';
  }

  app.on('hover', (body) => {
    if (body === undefined || body < 0) return;
    const link = app.model.links[app.model.bodies[body].link];
    hover.replaceChildren(h('strong', {}, link.name), h('dl', { class: 'about' }, player.about(body).flatMap(([name, text]) => [h('dt', {}, name), h('dd', {}, text)])));
  });
  app.on('model', () => { hover.replaceChildren(); });
  input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(explain, 250); });
  input.addEventListener('keydown', (event) => { if (event.key === 'Enter') { clearTimeout(timer); explain(); start(); } });
  const section = h('section', { id: 'operators' }, input,
    h('div', { class: 'bar wrap' }, SAMPLES.map((text) => h('button', { type: 'button', class: 'chip', onclick: () => section.type(text) }, text))),
    problem, h('div', { class: 'bar' }, play, button('Stop', () => player.stop())), result);
  section.type = (text) => { input.value = text; explain(); };
  section.play = () => start();
  section.seen = (on) => { if (on && !result.firstChild) explain(); };
  return section;
}
