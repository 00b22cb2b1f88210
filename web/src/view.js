// Panel "View": what is drawn; what the model says of itself.
import { button, h, save, short } from './dom.js';

const LAYERS = [
  ['visual', 'Shapes'], ['collision', 'Collision shapes'], ['skeleton', 'Rods and joints where there is no shape'],
  ['frames', 'Frames of links'], ['axes', 'Axes of joints'], ['coms', 'Centres of mass'], ['ellipsoids', 'Ellipsoids of inertia'],
  ['closures', 'Loops'], ['contacts', 'Contact points'], ['forces', 'Forces in loops and contacts'], ['trails', 'Trails of the tips'],
];

/** What the file says of textures, which the page does not draw. */
function textures(app) {
  const bytes = app.files.get(app.path);
  const found = bytes && /\.(urdf|xml|mjcf)$/i.test(app.path) ? new TextDecoder().decode(bytes).match(/<texture\b/g) : null;
  return found ? [`${app.path}: it names ${found.length} texture${found.length > 1 ? 's' : ''}; they are not drawn, plain colours stand in for them`] : [];
}

/** How flexible links are drawn, where that is not all of them. */
function bends(model) {
  return model.links.filter((link) => link.flexible).flatMap((link) => {
    const { nodes, stride } = link.flexible;
    return [stride > 1 ? `link '${link.name}': of its ${nodes} nodes every ${stride}th is drawn` : null,
      model.geometries.some((g) => g.link === model.links.indexOf(link)) ? `link '${link.name}': its shapes are fixed to its frame and do not bend` : null].filter(Boolean);
  });
}

export function viewPanel(app) {
  const boxes = new Map();
  const about = h('dl', { class: 'about' });
  const warnings = h('ul', { class: 'warnings' });
  const list = LAYERS.map(([name, text]) => {
    const box = h('input', { type: 'checkbox', onchange: () => app.try(() => app.show(name, box.checked)) });
    boxes.set(name, box);
    return h('label', { class: 'check' }, box, text);
  });
  const times = h('output', {});
  const range = h('input', { type: 'range', min: '0', max: '2', step: 'any', value: '0', 'aria-label': 'How many times bending is drawn' });
  const bending = h('label', { class: 'slider wide' }, h('span', { class: 'which' }, 'bending'), range, times);
  const bend = (exponent) => {
    app.bending = exponent > 0 ? 10 ** exponent : 1;
    range.value = String(exponent);
    times.textContent = `${short(Math.round(10 * app.bending) / 10)}×`;
    app.library.run('page_bend', app.bending);
  };
  range.addEventListener('input', () => app.try(() => { bend(Number(range.value)); app.update(); }));
  app.on('grip', () => { if (app.bending > 1) { bend(0); app.update(); } }); // the mouse pulls what is there
  app.on('model', () => {
    bend(0);
    bending.hidden = !app.model.links.some((link) => link.flexible);
    for (const [name, box] of boxes) box.checked = name === 'visual' || name === 'skeleton' || app.shown.has(name);
    const m = app.model;
    const facts = [['Model', m.name || app.path], ['Links', m.links.length], ['Bodies', m.bodies.length], ['Velocities', m.nv], ['Mass', `${short(m.mass)} kg`],
      ['Flexible links', m.links.filter((link) => link.flexible).length], ['Closures', m.closures.length], ['Couplings', m.couplings.length], ['Shapes', m.geometries.length]];
    about.replaceChildren(...facts.flatMap(([key, value]) => [h('dt', {}, key), h('dd', {}, String(value))]));
    const list = [...m.warnings.map((w) => `${w.file ? `${w.file}:${w.line}: ` : ''}${w.text}`), ...app.robot.meshes.problems, ...textures(app), ...bends(m)];
    warnings.replaceChildren(...list.slice(0, 60).map((text) => h('li', {}, text)), ...(list.length > 60 ? [h('li', {}, `and ${list.length - 60} more`)] : []));
  });
  app.on('layers', () => { for (const [name, box] of boxes) if (name !== 'visual' && name !== 'skeleton') box.checked = app.shown.has(name); });
  return h('section', { id: 'view' }, h('div', { class: 'checks' }, list), bending,
    h('div', { class: 'bar' }, button('Look at all', () => app.look()),
      button('Screenshot', () => { app.stage.draw(); app.stage.canvas.toBlob((blob) => save('soa.png', blob)); }, 'camera')),
    h('h3', {}, 'About the model'), about, warnings);
}
