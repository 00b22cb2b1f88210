// Guided tours: short texts, each with something that happens.
import { button, h } from './dom.js';
import { formula } from './operators.js';

const BEAM = `soa: 1
name: beam
links:
  - name: beam
    joint: {name: hinge, type: revolute, axis: [0, 1, 0], at: {xyz: [0, 0, 1.3]}}
    flexible: {beam: {length: 1.2, axis: x, elements: 12, stiffening: true, E: 7.0e10, G: 2.7e10, rho: 2700, A: 9.0e-5, Iy: 6.75e-11, Iz: 6.75e-9, J: 2.5e-10}, modes: 4, damping: 0.004}
`;

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
      ['A beam on a hinge. It bends in shapes of its own, its modes. Each mode has a coordinate and a slider, slow modes first.', 'x(\\eta) = x_0 + U\\eta + \\tfrac12 \\textstyle\\sum_{ij} S_{ij}\\,\\eta_i\\eta_j', async (t) => { await t.openText('beam.yaml', BEAM); t.tab('joints'); await t.bend(); }],
      ['The modes stand in the mass matrix beside the hinge. The sweep eliminates them first; the hinge then meets an ordinary inertia of six by six.', 'P_{ee} = L\\,D\\,L^*', async (t) => { t.tab('matrices'); await t.bend(1); }],
      ['Let go: the beam falls, swings about its hinge and rings in its modes.', '\\mathcal{M}\\dot\\beta + C = T - K\\eta - C_\\eta\\dot\\eta', async (t) => { t.tab('simulate'); t.show('trails', true); await t.run(2.4); t.show('trails', false); }],
      ['Panels of a satellite are plates with modes, too. Turning it makes them ring.', '\\omega_i^2 = k_i / m_i', async (t) => { await t.example('scenarios/satellite-turn.yaml'); t.tab('simulate'); await t.run(2.4, 4); }],
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
      const movers = app.model.links.filter((link) => link.q >= 0 && link.joint.nq === 1).slice(0, 3);
      const begin = movers.map((link) => app.q()[link.q]);
      const mine = turn;
      for (let i = 0; i <= 40 && mine === turn; i++) {
        movers.forEach((link, j) => {
          try { app.setCoordinate(link.mover, 0, begin[j] + (app.closedLoops ? 0.06 : 0.5) * Math.sin((i / 40) * 2 * Math.PI) / (j + 1)); } catch { /* out of reach: it stays */ }
        });
        await new Promise((done) => { setTimeout(done, 25); });
      }
    },
    /** An example of the list. */
    example: (path) => app.openExample(path),
    /** Bends flexible links to and fro, mode by mode. */
    async bend(most = 3) {
      const link = app.model.links.find((one) => one.flexible);
      const { body, reach, position } = link.flexible;
      const far = 0.12 * Math.max(...position.map((p) => Math.hypot(...p)));
      const mine = turn;
      for (let m = 0; m < Math.min(most, reach.length); m++) {
        for (let i = 0; i <= 30 && mine === turn; i++) {
          app.setCoordinate(body, m, reach[m] > 0 ? (far / reach[m] / (1 + 0.6 * m)) * Math.sin((i / 30) * 2 * Math.PI) : 0);
          await new Promise((done) => { setTimeout(done, 25); });
        }
      }
    },
    async run(seconds, speed = 1) {
      const mine = turn;
      simulation.speed = speed;
      if (!simulation.running) simulation.toggle(true);
      const begin = performance.now();
      while (mine === turn && performance.now() - begin < seconds * 1000) await new Promise((done) => { setTimeout(done, 50); });
      if (simulation.running) simulation.toggle(false);
      simulation.speed = 1;
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
