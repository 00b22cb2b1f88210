// Panel "Joints": the tree of links with a slider for each coordinate.
import { button, h, short } from './dom.js';

const FREE = ['turn x', 'turn y', 'turn z', 'x', 'y', 'z'];

/** Arrow keys move a slider by a hundredth of its way. */
function keysOf(range, low, high) {
  range.addEventListener('keydown', (event) => {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    range.value = String(Number(range.value) + way * (high - low) / 100);
    range.dispatchEvent(new Event('input'));
  });
}

export function jointsPanel(app) {
  const search = h('input', { type: 'search', placeholder: 'Search links and joints', 'aria-label': 'Search links and joints', id: 'search' });
  const tree = h('div', { class: 'tree', role: 'tree', 'aria-label': 'Links and joints' });
  const chooser = h('select', { 'aria-label': 'Named configuration' });
  const sliders = [];
  let seed = 1;

  /** How far a mode bends at its slider's end: its farthest node by a seventh of the link. */
  function modeSlider(link, number) {
    const { flexible } = link;
    const long = Math.max(...flexible.position.map((p) => Math.hypot(...p)), 1e-9);
    const most = flexible.reach[number] > 0 ? long / (7 * flexible.reach[number]) : 1;
    const at = app.model.bodies[flexible.body].q + number;
    return bounded(`${link.name} mode ${number + 1}`, -most, most, (x) => app.setCoordinate(flexible.body, number, x), () => app.q()[at],
      `${number + 1} · ${short(flexible.frequency[number])} Hz`);
  }

  /** A slider from low to high for a number that `read` gives and `write` takes; label: what stands beside it. */
  function bounded(name, low, high, write, read, label) {
    const range = h('input', { type: 'range', min: String(low), max: String(high), step: 'any', value: '0', 'aria-label': name });
    const value = h('output', {});
    keysOf(range, low, high);
    range.addEventListener('input', () => app.try(() => { app.tell('pause'); write(Number(range.value)); }));
    const show = () => {
      const x = read();
      if (document.activeElement !== range || Math.abs(Number(range.value) - x) > 1e-12) range.value = String(x);
      value.textContent = short(Math.abs(x) < 1e-12 ? 0 : x);
    };
    sliders.push({ show, reset: () => {} });
    return h('label', { class: 'slider' }, h('span', { class: 'which mode' }, label), range, value);
  }

  function slider(link, number) {
    const { joint } = link;
    const plain = joint.nq === joint.nv && joint.kind !== 'planar';
    const free = joint.kind === 'free' || joint.kind === 'spherical';
    const low = Number.isFinite(joint.lower[number]) && plain ? joint.lower[number] : joint.kind === 'prismatic' || (joint.kind === 'free' && number > 2) ? -1 : -Math.PI;
    const high = Number.isFinite(joint.upper[number]) && plain ? joint.upper[number] : -low;
    const range = h('input', { type: 'range', min: String(low), max: String(high), step: 'any', value: '0', 'aria-label': `${joint.name || link.name}${joint.nv > 1 ? ` ${number}` : ''}` });
    range.value = '0';
    const value = h('output', {});
    let last = 0;
    keysOf(range, low, high);
    range.addEventListener('input', () => app.try(() => {
      if (app.steer?.(link.mover, Number(range.value))) return; // the joint holds itself: this is its target
      app.tell('pause');
      if (free) { // about and along the axes of the link, from where it is
        app.library.run('page_nudge', link.v + number, Number(range.value) - last);
        last = Number(range.value);
        app.library.run('page_project');
        app.update();
        app.tell('posed');
      } else app.setCoordinate(link.mover, number, Number(range.value));
    }));
    const show = () => {
      if (free) { value.textContent = short(last); return; }
      const x = app.q()[link.q + number];
      const at = app.goalOf?.(link.mover) ?? x;
      if (document.activeElement !== range || Math.abs(Number(range.value) - at) > 1e-12) range.value = String(at);
      value.textContent = short(Math.abs(x) < 1e-12 ? 0 : x);
    };
    sliders.push({ show, reset: () => { last = 0; range.value = '0'; } });
    return h('label', { class: 'slider' }, free ? h('span', { class: 'which' }, FREE[number]) : null, range, value);
  }

  function node(link, k, depth) {
    const moving = link.q >= 0 && link.joint.nv > 0;
    const row = h('div', { class: `row${moving || link.flexible ? '' : ' still'}`, role: 'treeitem', 'aria-level': String(depth + 1), style: `--depth:${Math.min(depth, 9)}` },
      h('div', { class: 'names' },
        h('span', { class: 'link' }, link.name),
        moving ? h('span', { class: 'joint' }, `${link.joint.name || ''} · ${link.joint.kind}`) : null));
    row.dataset.find = `${link.name} ${link.joint.name || ''}${link.flexible ? ` ${link.name}/flex` : ''}`.toLowerCase();
    row.dataset.link = String(k);
    if (moving) for (let i = 0; i < link.joint.nv; i++) row.append(slider(link, i));
    if (link.flexible) row.append(h('div', { class: 'faint modes' }, `${link.name}/flex · modes`), ...link.flexible.frequency.map((_, i) => modeSlider(link, i)));
    row.addEventListener('pointerenter', () => { if (link.body >= 0) { app.robot.light(link.body, 0xd9812f, 0.6); app.stage.ask(); } });
    row.addEventListener('pointerleave', () => { app.robot.dark(); app.stage.ask(); });
    return row;
  }

  function fill() {
    sliders.length = 0;
    tree.replaceChildren();
    const children = new Map();
    app.model.links.forEach((link, k) => {
      if (!children.has(link.parent)) children.set(link.parent, []);
      children.get(link.parent).push(k);
    });
    const stack = (children.get(-1) || []).map((k) => [k, 0]).reverse();
    const rows = [];
    while (stack.length > 0 && rows.length < 1000) {
      const [k, depth] = stack.pop();
      rows.push(node(app.model.links[k], k, depth));
      for (const child of (children.get(k) || []).slice().reverse()) stack.push([child, depth + 1]);
    }
    tree.append(...rows);
    if (app.model.links.length > rows.length) tree.append(h('p', { class: 'hint' }, `${app.model.links.length - rows.length} links more are not listed.`));
    chooser.replaceChildren(h('option', { value: '' }, 'as loaded'), ...app.model.configurations.map((c, i) => h('option', { value: String(i) }, c.name || `configuration ${i}`)));
    chooser.hidden = app.model.configurations.length === 0;
    sliders.forEach((one) => one.show());
  }

  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of tree.querySelectorAll('.row')) row.hidden = !words.every((word) => row.dataset.find.includes(word));
  });
  const pose = (act) => app.try(() => {
    app.tell('pause');
    act();
    sliders.forEach((one) => one.reset());
    app.library.run('page_project');
    app.update();
    app.tell('posed');
  });
  chooser.addEventListener('change', () => pose(() => (chooser.value === '' ? app.setState(app.start.q) : app.setState(app.model.configurations[Number(chooser.value)].q))));
  app.on('model', fill);
  app.on('state', () => sliders.forEach((one) => one.show()));

  return h('section', { id: 'joints' }, search,
    h('div', { class: 'bar' }, chooser,
      button('Neutral', () => pose(() => app.library.run('page_neutral'))),
      button('Random', () => pose(() => { app.library.run('page_random', seed++); app.v().fill(0); }))),
    tree);
}
