// The page: its frame, tabs, keys, files that are dropped, the pointer on the robot.
import './style.css';
import * as THREE from 'three';
import { App } from './app.js';
import { button, h, icon, say } from './dom.js';
import { jointsPanel } from './joints.js';
import { matrixPanel, operatorsPanel, SweepPlayer } from './operators.js';
import { readRecording, Simulation, simulatePanel } from './simulate.js';
import { Stage } from './scene.js';
import { bytesOf, startLibrary } from './start.js';
import { toursPanel } from './tours.js';
import { viewPanel } from './view.js';

// Models and a scenario of examples/, to try.
const EXAMPLES = import.meta.glob(['../../examples/models/*.yaml', '../../examples/scenarios/*.yaml'], { query: '?raw', import: 'default', eager: true });

const TABS = [['joints', 'Joints'], ['simulate', 'Simulate'], ['operators', 'Operators'], ['matrices', 'Matrices'], ['view', 'View'], ['tours', 'Tours']];
const KEYS = [['space', 'play or pause'], ['.', 'one step'], ['r', 'back to the start'], ['/', 'search joints'], ['1 … 6', 'tabs'], ['t', 'light or dark'], ['Esc', 'close a message'],
  ['arrows, + −', 'turn the view, when it has the focus'], ['?', 'this list']];

function frame() {
  const app = document.getElementById('app');
  const header = h('header', {}, h('h1', {}, 'soa'), h('span', { id: 'choice' }), h('span', { class: 'grow' }), h('span', { id: 'tools' }));
  const stage = h('main', { id: 'stage' }, h('canvas', { id: 'canvas', tabIndex: 0, 'aria-label': 'The robot. Arrow keys turn the view.' }), h('div', { id: 'tip', hidden: true }), h('div', { id: 'values', hidden: true }),
    h('p', { id: 'message', role: 'status', 'aria-live': 'polite', hidden: true }));
  const side = h('aside', {}, h('div', { role: 'tablist', 'aria-label': 'Panels', id: 'tabs' }), h('div', { id: 'panels' }));
  app.replaceChildren(header, stage, side);
}

// ---- theme ---------------------------------------------------------------------------------

function setTheme(app, name) {
  document.documentElement.dataset.theme = name;
  app.stage.setLook(name);
  app.tell('theme');
}

// ---- tabs -----------------------------------------------------------------------------------

function tabs(app, panels) {
  const bar = document.getElementById('tabs');
  const buttons = TABS.map(([name, text]) => h('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': name, onclick: () => open(name) }, text));
  function open(name) {
    TABS.forEach(([other], i) => {
      const on = other === name;
      buttons[i].setAttribute('aria-selected', String(on));
      buttons[i].tabIndex = on ? 0 : -1;
      panels[other].hidden = !on;
      panels[other].seen?.(on);
    });
    document.getElementById('panels').scrollTop = 0;
    document.getElementById('values').hidden = name !== 'operators';
  }
  bar.append(...buttons);
  bar.addEventListener('keydown', (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    const i = (buttons.indexOf(document.activeElement) + way + buttons.length) % buttons.length;
    open(TABS[i][0]);
    buttons[i].focus();
  });
  for (const [name] of TABS) { panels[name].setAttribute('role', 'tabpanel'); panels[name].setAttribute('aria-labelledby', `tab-${name}`); }
  document.getElementById('panels').append(...TABS.map(([name]) => panels[name]));
  app.on('tab', open);
  open('joints');
  return open;
}

// ---- the pointer on the robot ------------------------------------------------------------------

function pointer(app, simulation) {
  const { stage } = app;
  const { canvas } = stage;
  const tip = document.getElementById('tip');
  let drag = null;
  const worldTarget = (event) => { // on the plane through the grip that faces the camera
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(stage.camera.getWorldDirection(new THREE.Vector3()), drag.point);
    return stage.ray(event).ray.intersectPlane(plane, new THREE.Vector3());
  };
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.shiftKey || !app.model) return;
    if (stage.pick(event, [app.robot.root])) app.tell('grip');
    const hit = stage.pick(event, [app.robot.root]);
    if (!hit || hit.link < 0 || app.model.links[hit.link].body < 0) return;
    stage.controls.enabled = false;
    drag = { ...hit, moved: false };
    canvas.setPointerCapture(event.pointerId);
    const { node, local } = app.robot.bent.has(hit.link) && hit.bends ? app.robot.bent.get(hit.link).nearest(hit.point)
      : { node: 0, local: hit.point.clone().applyMatrix4(app.robot.link[hit.link].matrix.clone().invert()) };
    app.library.numbers('grip', 3).set(local.toArray());
    app.library.numbers('target', 3).set(hit.point.toArray());
    app.library.call('page_drag', hit.link, node);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (drag) {
      const target = worldTarget(event);
      if (!target || target.distanceTo(drag.point) > 20 * stage.size) return;
      drag.moved = true;
      app.library.numbers('target', 3).set(target.toArray());
      if (!simulation.running) app.try(() => {
        simulation.end();
        app.library.call('page_reach'); // what is out of reach stays where it is
        app.v().fill(0);
        app.update();
        app.tell('posed');
      });
      return;
    }
    const hit = app.robot && event.buttons === 0 ? stage.pick(event, [app.robot.root]) : null;
    tip.hidden = !hit || hit.link < 0;
    if (tip.hidden) return;
    const link = app.model.links[hit.link];
    tip.textContent = link.joint.name ? `${link.name} · ${link.joint.name}` : link.name;
    tip.style.transform = `translate(${event.offsetX + 14}px, ${event.offsetY + 12}px)`;
    app.tell('hover', link.body);
  });
  const drop = () => {
    stage.controls.enabled = true;
    if (drag) app.library.call('page_drag', -2, 0);
    drag = null;
  };
  canvas.addEventListener('pointerup', drop);
  canvas.addEventListener('pointercancel', drop);
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
}

// ---- files ---------------------------------------------------------------------------------------

function chooser(app, builtins) {
  const select = h('select', { id: 'models', 'aria-label': 'Model' });
  const file = h('input', { type: 'file', id: 'file', multiple: true, hidden: true });
  const named = builtins.map((b) => [`builtin:${b.name.replace('chain:N', 'chain:20').replace(',MODES', ',4').replace('tree:N,SEED', 'tree:30,7')}`, `${b.name.replace(':N,SEED', ':30,7').replace(':N', ':20').replace(',MODES', ',4')} — ${b.text}`]);
  select.append(h('optgroup', { label: 'Built in' }, named.map(([value, text]) => h('option', { value }, text))));
  const examples = new Map(Object.entries(EXAMPLES).map(([path, text]) => [path.replace('../../examples/', ''), new TextEncoder().encode(text)]));
  select.append(h('optgroup', { label: 'Examples' }, [...examples.keys()].map((path) => h('option', { value: `example:${path}` }, path.replace(/^models\/|\.yaml$/g, '').replace('scenarios/', 'scenario: ')))));
  app.openExample = (path) => app.open(path, examples);
  const choose = (value) => (value.startsWith('builtin:') ? app.open(value) : value.startsWith('example:') ? app.openExample(value.slice(8)) : app.open(value, app.files, app.inlined));
  let others = null;
  const offer = (models) => {
    others?.remove();
    others = h('optgroup', { label: 'Files' }, models.map((path) => h('option', { value: path }, path)));
    select.prepend(others);
  };
  select.addEventListener('change', () => app.try(() => choose(select.value)).then(() => { if (app.model) select.value = [...select.options].some((option) => option.value === app.path) ? app.path : `example:${app.path}`; }));
  file.addEventListener('change', () => app.try(() => app.drop(file)).then(() => { file.value = ''; }));
  app.on('choices', (models) => { offer(models); select.value = app.path; });
  app.on('model', () => {
    const there = [app.path, `example:${app.path}`].find((value) => [...select.options].some((option) => option.value === value));
    if (!there) offer([app.path]);
    select.value = there || app.path;
    document.title = `${app.model.name || app.path} – soa`;
  });
  document.getElementById('choice').append(select, file);
  const over = (on) => document.body.classList.toggle('over', on);
  addEventListener('dragover', (event) => { event.preventDefault(); over(true); });
  addEventListener('dragleave', (event) => { if (!event.relatedTarget) over(false); });
  addEventListener('drop', (event) => { event.preventDefault(); over(false); app.try(() => app.drop(event.dataTransfer)); });
  return () => file.click();
}

/** A message stays until it is read: a click or Escape takes it away. */
function dismissable() {
  const place = document.getElementById('message');
  place.title = 'A click or Escape closes this message';
  place.addEventListener('click', () => say(''));
  addEventListener('keydown', (event) => { if (event.key === 'Escape' && !document.querySelector('dialog[open]')) say(''); });
}

function help() {
  const dialog = h('dialog', { 'aria-label': 'Keys' }, h('h2', {}, 'Keys'), h('dl', { class: 'about' }, KEYS.flatMap(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])),
    h('p', { class: 'hint' }, 'Drop a URDF, MJCF or YAML file on the page, with its meshes as a folder or a zip file. Nothing leaves this page: it has no network.'),
    h('form', { method: 'dialog' }, h('button', {}, 'Close')));
  document.body.append(dialog);
  return () => dialog.showModal();
}

function keys(app, simulation, open, showHelp, flip) {
  const acts = { ' ': () => app.try(() => simulation.toggle()), '.': () => simulation.step(), r: () => simulation.reset(), t: flip, '?': showHelp,
    '/': () => { open('joints'); document.getElementById('search').focus(); } };
  TABS.forEach(([name], i) => { acts[String(i + 1)] = () => { open(name); document.getElementById(`tab-${name}`).focus(); }; });
  addEventListener('keydown', (event) => {
    const { target } = event;
    const typing = target.matches?.('input:not([type=range]):not([type=checkbox]), select, textarea, dialog *');
    const press = event.key === ' ' && target.matches?.('button:not([role=tab]), summary, input');
    if (typing || press || event.ctrlKey || event.metaKey || event.altKey || !acts[event.key] || !app.model) return;
    event.preventDefault();
    acts[event.key]();
  });
}

// ---- what `soa view` has put into the page ---------------------------------------------------------

async function given(app, simulation) {
  const data = JSON.parse(document.getElementById('soa-data').textContent);
  if (!data) return false;
  const unpack = (object) => Object.fromEntries(Object.entries(object || {}).map(([name, text]) => [name, bytesOf(text)]));
  app.inlined = unpack(data.meshes);
  await app.open(data.model, new Map(Object.entries(unpack(data.files))), app.inlined);
  if (data.recording) {
    simulation.play(readRecording(data.recording));
    app.tell('tab', 'simulate');
  }
  return true;
}

async function begin() {
  frame();
  const app = new App(await startLibrary(), new Stage(document.getElementById('canvas')));
  const simulation = new Simulation(app);
  const player = new SweepPlayer(app);
  const panels = { joints: jointsPanel(app), simulate: simulatePanel(app, simulation), operators: operatorsPanel(app, player), matrices: matrixPanel(app), view: viewPanel(app) };
  panels.tours = toursPanel(app, simulation, player, panels);
  const openTab = tabs(app, panels);
  const choose = chooser(app, app.library.json('page_builtins'));
  const showHelp = help();
  const flip = () => setTheme(app, document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  document.getElementById('tools').append(button('Open', choose, 'open', 'Open files'), button('', flip, 'theme', 'Light or dark (t)'), button('', showHelp, 'help', 'Keys (?)'));
  dismissable();
  pointer(app, simulation);
  keys(app, simulation, openTab, showHelp, flip);
  setTheme(app, matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  window.soa = { app, simulation, player, panels, THREE };
  const worked = await app.try(async () => { if (!await given(app, simulation)) await app.open('builtin:arm7'); });
  if (!worked && !app.model) await app.open('builtin:arm7').catch(() => {});
  document.body.dataset.ready = 'yes';
}

begin().catch((problem) => {
  const place = document.getElementById('message') || document.getElementById('app');
  place.textContent = `This page could not start: ${problem.message}`;
  place.hidden = false;
});
export { icon, say };
