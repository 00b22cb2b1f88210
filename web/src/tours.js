// Guided tours: short texts, each with something that happens.
import { button, h } from './dom.js';
import { formula } from './operators.js';

const BEAM = (() => { // twelve rods on springs: a beam as links
  const n = 12;
  const links = [];
  for (let i = 0; i < n; i++) {
    links.push(`  - name: piece${i + 1}
    ${i ? `parent: piece${i}` : 'parent: world'}
    joint: {name: bend${i + 1}, type: revolute, axis: [0, 1, 0], at: {xyz: [${i ? 0.1 : 0}, 0, ${i ? 0 : 0.6}]}, stiffness: 60, damping: 0.06}
    mass: 0.08
    com: [0.05, 0, 0]
    inertia: [1.0e-5, 0, 0, 7.0e-5, 0, 7.0e-5]`);
  }
  return `soa: 1\nname: beam\nlinks:\n${links.join('\n')}\n`;
})();

const TOURS = [
  {
    name: 'The mass matrix and its two factorizations',
    steps: [
      ['The mass matrix holds the kinetic energy. Each of its entries is a sum over bodies; written out it looks like nothing in particular.', '\\mathcal{M}(q)', async (t) => { await t.open('builtin:arm7'); t.tab('matrices'); }],
      ['Newton and Euler see it as a product: velocities go outward along the arm, each body multiplies with its inertia, forces are gathered inward.', '\\mathcal{M} = H\\phi\\, M\\, \\phi^* H^*', async (t) => { await t.wave(); }],
      ['The second factorization has square factors: a triangle, a diagonal, a triangle. The diagonal is what the filter finds at each joint.', '\\mathcal{M} = (I + H\\phi K)\\, D\\, (I + H\\phi K)^*', async (t) => { await t.wave(); }],
      ['Its inverse needs no elimination: the inverse of the triangle is written down.', '(I + H\\phi K)^{-1} = I - H\\psi K', async (t) => { t.tab('operators'); t.type('(I + H phi K)^-1 = I - H psi K'); }],
    ],
  },
  {
    name: 'Forward dynamics in three sweeps',
    steps: [
      ['Joint forces in, accelerations out: the inverse of the mass matrix times a vector. No matrix is made.', '\\dot\\beta = \\mathcal{M}^{-1}(T - C)', async (t) => { await t.open('builtin:arm7'); t.tab('operators'); t.type('Mass^-1 (T - C)'); }],
      ['Outward: velocities, and the accelerations that they cause. Inward: articulated inertias P and residual forces z. Outward: accelerations. Point at a body to read what passes there.', 'P,\\ z\\ \\to\\ \\nu\\ \\to\\ \\alpha', async (t) => { await t.play(); }],
      ['The same sweeps serve a tree. They cost the same per body, however many there are.', 'O(N)', async (t) => { await t.open('builtin:humanoid'); t.tab('operators'); t.type('Mass^-1 (T - C)'); await t.play(); }],
    ],
  },
  {
    name: 'A closed loop solved',
    steps: [
      ['A platform on six legs. Each leg ends in a joint that closes a loop, drawn in orange.', 'A\\,V = 0', async (t) => { await t.open('builtin:hexapod'); t.tab('joints'); }],
      ['Move one coordinate: the others follow, so that every loop stays closed.', '\\min\\ |q - q_0|\\quad\\text{with loops closed}', async (t) => { await t.wave(); }],
      ['Forces in the loops, from one inward sweep that carries their rows along.', '\\Lambda = J\\,\\mathcal{M}^{-1}J^*', async (t) => { t.show('forces', true); }],
      ['Let go: the closed mechanism falls, its loops held to rounding.', '\\ddot q,\\ \\lambda', async (t) => { t.tab('simulate'); await t.run(1.2); t.show('forces', false); }],
    ],
  },
  {
    name: 'A flexible beam',
    steps: [
      ['A beam as twelve rods on springs: many joints, one sweep.', 'T = -k\\,q - d\\,\\dot q', async (t) => { await t.openText('beam.yaml', BEAM); t.tab('simulate'); }],
      ['It falls under its weight and swings in its own modes.', '\\mathcal{M}\\ddot q + C = T', async (t) => { t.show('trails', true); await t.run(1.6); t.show('trails', false); }],
      ['Its mass matrix is full, its factors are not: a chain is a triangle with a rule.', 'I + H\\phi K', async (t) => { t.tab('matrices'); }],
    ],
  },
];

export function toursPanel(app, simulation, player, panels) {
  const list = h('div', { class: 'tours' });
  const card = h('div', { class: 'card', hidden: true });
  let turn = null;

  const hand = {
    open: (path) => app.open(path),
    openText: (name, text) => app.open(name, new Map([[name, new TextEncoder().encode(text)]])),
    tab: (name) => app.tell('tab', name),
    type: (text) => panels.operators.type(text),
    play: () => panels.operators.play(),
    show: (layer, on) => { app.show(layer, on); app.tell('layers'); },
    /** Moves the first joints to and fro. */
    async wave() {
      const movers = app.model.links.map((link, k) => ({ link, k })).filter(({ link }) => link.q >= 0 && link.joint.nq === 1).slice(0, 3);
      const begin = movers.map(({ link }) => app.q()[link.q]);
      const mine = turn;
      for (let i = 0; i <= 40 && mine === turn; i++) {
        movers.forEach(({ link, k }, j) => {
          try { app.setCoordinate(k, 0, begin[j] + (app.closedLoops ? 0.06 : 0.5) * Math.sin((i / 40) * 2 * Math.PI) / (j + 1)); } catch { /* out of reach: it stays */ }
          return link;
        });
        await new Promise((done) => { setTimeout(done, 25); });
      }
    },
    async run(seconds) {
      const mine = turn;
      if (!simulation.running) simulation.toggle(true);
      const begin = performance.now();
      while (mine === turn && performance.now() - begin < seconds * 1000) await new Promise((done) => { setTimeout(done, 50); });
      if (simulation.running) simulation.toggle(false);
    },
  };

  async function show(tour, i) {
    turn = {};
    player.stop();
    if (simulation.running) simulation.toggle(false);
    const [text, latex, act] = tour.steps[i];
    const last = i === tour.steps.length - 1;
    const next = button(last ? 'Done' : 'Next', () => (last ? close() : show(tour, i + 1)));
    next.classList.add('primary');
    card.hidden = false;
    card.dataset.step = `${i + 1}/${tour.steps.length}`;
    card.dataset.ready = '';
    card.replaceChildren(h('p', { class: 'faint' }, `${tour.name} · ${i + 1} of ${tour.steps.length}`), formula(latex, true), h('p', {}, text),
      h('div', { class: 'bar' }, i > 0 ? button('Back', () => show(tour, i - 1)) : null, next, button('Close', close)));
    const mine = turn;
    await app.try(() => act(hand));
    if (mine === turn) { card.dataset.ready = 'yes'; next.focus({ preventScroll: true }); }
  }

  function close() {
    turn = {};
    player.stop();
    card.hidden = true;
    app.tell('tab', 'tours');
  }

  list.append(...TOURS.map((tour) => h('button', { type: 'button', class: 'tour', onclick: () => show(tour, 0) }, h('strong', {}, tour.name), h('span', { class: 'faint' }, `${tour.steps.length} steps`))));
  document.getElementById('stage').append(card);
  return h('section', { id: 'tours' }, h('p', { class: 'hint' }, 'Each tour loads its own model and moves it.'), list);
}
