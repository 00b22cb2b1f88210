// What the page shows: a model, its state, its picture. Panels ask it and are told of changes.
import * as THREE from 'three';
import { say } from './dom.js';
import { Refusal } from './library.js';
import { collect, Meshes, modelsIn } from './files.js';
import { Robot } from './robot.js';

const SCENARIO = /^\s*scenario\s*:/m;

export class App extends EventTarget {
  constructor(library, stage) {
    super();
    this.library = library;
    this.stage = stage;
    this.shown = new Set(['closures', 'contacts']);
    this.files = new Map();
  }

  tell(what, detail) { this.dispatchEvent(new CustomEvent(what, { detail })); }

  on(what, act) { this.addEventListener(what, (event) => act(event.detail)); }

  /** Runs an act of the user's; a failure is a message. Returns whether it worked. */
  async try(act) {
    try {
      say('');
      await act();
      return true;
    } catch (problem) {
      if (this.library.broken) {
        await this.library.restart();
        this.library.broken = false;
        this.library.setFiles(this.files);
        this.model = null;
      }
      say(problem instanceof Refusal ? `soa: ${problem.message}` : problem.message, true);
      return false;
    }
  }

  // ---- loading -----------------------------------------------------------------------------

  async open(path, files = new Map(), inlined = {}) {
    this.tell('stop');
    this.library.setFiles(files);
    const text = files.has(path) && /\.ya?ml$/i.test(path) ? new TextDecoder().decode(files.get(path)) : '';
    try {
      this.library.run('page_load', path, SCENARIO.test(text) ? 1 : 0);
    } catch (problem) {
      this.library.setFiles(this.files);
      throw problem;
    }
    this.files = files;
    this.path = path;
    this.isScenario = SCENARIO.test(text);
    this.model = this.library.json('page_describe');
    this.closedLoops = this.model.closures.length + this.model.couplings.length > 0;
    this.start = { q: this.q().slice(), v: this.v().slice() };
    let note = '';
    if (this.closedLoops && !this.isScenario) {
      try { this.library.run('page_project'); } catch (problem) { note = `soa: ${problem.message}`; }
    }
    this.library.run('page_update');
    const robot = new Robot(this.model, new Meshes(files, inlined));
    await robot.build(this.pose().slice(), this.points().slice());
    if (this.robot) this.stage.world.remove(this.robot.root, this.robot.over);
    this.robot = robot;
    this.stage.world.add(robot.root, robot.over);
    for (const layer of Object.keys(robot.layer)) if (!['visual', 'skeleton'].includes(layer)) robot.show(layer, this.shown.has(layer));
    this.floor = null;
    this.look();
    this.tell('model');
    this.update();
    note ||= this.meshNote(robot);
    if (note) say(note);
  }

  /** What is to be said of meshes that are not drawn, and of textures. */
  meshNote({ missing, unread, meshes }) {
    const some = (set, one, many) => `${set.size} mesh${set.size > 1 ? `es ${many}` : ` ${one}`} (${[...set][0]}${set.size > 1 ? ', …' : ''})`;
    const instead = 'Links are drawn from their collision shapes or their inertia.';
    if (missing.size > 0) return `${some(missing, 'is not there', 'are not there')}; drop the folder or a zip file with them. ${instead}`;
    if (unread.size > 0) return `${meshes.problems[0]}${unread.size > 1 ? `, and ${unread.size - 1} more` : ''}. ${instead}`;
    return meshes.problems.length > 0 ? `${meshes.problems[0]}${meshes.problems.length > 1 ? `; so in ${meshes.problems.length - 1} more (tab View)` : ''}.` : '';
  }

  async drop(transfer) {
    const files = await collect(transfer);
    const models = modelsIn(files);
    const recording = [...files.keys()].find((path) => /\.csv$/i.test(path));
    if (models.length === 0 && recording && this.model) {
      this.tell('recording', new TextDecoder().decode(files.get(recording)));
      return;
    }
    if (models.length === 0) throw new Error('no model among these files; give a .urdf, .xml (MJCF) or .yaml file');
    let first = null;
    for (const path of models.slice(0, 12)) {
      try {
        await this.open(path, files);
        this.tell('choices', models);
        return;
      } catch (problem) { first ??= problem; }
    }
    throw first;
  }

  // ---- state --------------------------------------------------------------------------------

  q() { return this.library.numbers('q', this.model.nq); }
  v() { return this.library.numbers('v', this.model.nv); }
  pose() { return this.library.numbers('pose', 12 * this.model.links.length); }
  points() { return this.library.numbers('point', 12 * (2 * this.model.closures.length + this.model.links.reduce((sum, link) => sum + (link.flexible?.drawn ?? 0), 0))); }
  energy() { return this.library.numbers('energy', 3); }

  setState(q, v) {
    this.q().set(q);
    if (v) this.v().set(v); else this.v().fill(0);
    this.update();
  }

  /** A coordinate of a body's joint, or of its modes, by its slider; loops stay closed. */
  setCoordinate(body, number, value) {
    this.library.run('page_set', body, number, value);
    this.v().fill(0);
    this.update();
    this.tell('posed');
  }

  /** Poses and picture after a change of q and v. */
  update() {
    this.library.run('page_update');
    this.robot.update(this.pose(), this.library.numbers('com', 3), this.points());
    this.loads();
    this.stage.ask();
    this.tell('state');
  }

  /** Forces in loops, contact points and their forces, as far as they are wanted. */
  loads() {
    const arrows = this.shown.has('forces');
    if (!arrows && !(this.contacting && this.shown.has('contacts'))) { this.robot.showLoads(0, [], false); return; }
    const count = Math.max(this.library.call('page_loads'), 0);
    this.robot.showLoads(count, Array.from(this.library.numbers('load', 10 * count)), arrows);
  }

  show(layer, on) {
    if (on) this.shown.add(layer); else this.shown.delete(layer);
    if (layer === 'forces' || layer === 'contacts') this.loads(); else this.robot.show(layer, on);
    this.stage.ask();
  }

  /** The camera looks at the whole robot. */
  look() {
    this.stage.world.updateMatrixWorld(true);
    const box = new THREE.Box3();
    this.robot.root.traverse((part) => {
      if (part.isMesh && part.visible && part.parent.visible && part.geometry.type !== 'PlaneGeometry') box.expandByObject(part);
    });
    if (this.robot.lines) this.model.links.forEach((_, k) => box.expandByPoint(new THREE.Vector3(...this.pose().slice(12 * k + 9, 12 * k + 12))));
    if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 1));
    const plane = this.model.geometries.find((g) => g.link < 0 && g.shape === 'plane');
    const high = box.max.z - box.min.z;
    const stands = box.min.z > -0.35 * high && box.min.z < 1.5 * box.getSize(new THREE.Vector3()).length(); // on or above the ground of the world
    this.floor ??= plane ? plane.at[11] : stands ? Math.min(0, box.min.z) : box.min.z - 0.02 * high;
    this.stage.frame(box, this.floor, Math.hypot(...this.model.gravity) > 0);
  }
}
