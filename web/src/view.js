// Panel "View": what is drawn; what the model says of itself.
import { button, h, save, short } from './dom.js';

const LAYERS = [
  ['visual', 'Shapes'], ['collision', 'Collision shapes'], ['skeleton', 'Rods and joints where there is no shape'],
  ['frames', 'Frames of links'], ['axes', 'Axes of joints'], ['coms', 'Centres of mass'], ['ellipsoids', 'Ellipsoids of inertia'],
  ['closures', 'Loops'], ['forces', 'Forces in loops and contacts'], ['trails', 'Trails of the tips'],
];

export function viewPanel(app) {
  const boxes = new Map();
  const about = h('dl', { class: 'about' });
  const warnings = h('ul', { class: 'warnings' });
  const list = LAYERS.map(([name, text]) => {
    const box = h('input', { type: 'checkbox', onchange: () => app.try(() => app.show(name, box.checked)) });
    boxes.set(name, box);
    return h('label', { class: 'check' }, box, text);
  });
  app.on('model', () => {
    for (const [name, box] of boxes) box.checked = name === 'visual' || name === 'skeleton' || app.shown.has(name);
    const m = app.model;
    const facts = [['Model', m.name || app.path], ['Links', m.links.length], ['Bodies', m.bodies.length], ['Velocities', m.nv], ['Mass', `${short(m.mass)} kg`],
      ['Closures', m.closures.length], ['Couplings', m.couplings.length], ['Shapes', m.geometries.length]];
    about.replaceChildren(...facts.flatMap(([key, value]) => [h('dt', {}, key), h('dd', {}, String(value))]));
    warnings.replaceChildren(...m.warnings.slice(0, 50).map((w) => h('li', {}, `${w.file ? `${w.file}:${w.line}: ` : ''}${w.text}`)),
      ...app.robot.meshes.problems.slice(0, 20).map((text) => h('li', {}, text)));
  });
  app.on('layers', () => { for (const [name, box] of boxes) if (name !== 'visual' && name !== 'skeleton') box.checked = app.shown.has(name); });
  return h('section', { id: 'view' }, h('div', { class: 'checks' }, list),
    h('div', { class: 'bar' }, button('Look at all', () => app.look()),
      button('Screenshot', () => { app.stage.draw(); app.stage.canvas.toBlob((blob) => save('soa.png', blob)); }, 'camera')),
    h('h3', {}, 'About the model'), about, warnings);
}
