// What touches the ground: the shapes of moving links as balls, capsules and boxes, which the library knows.
import * as THREE from 'three';
import { poseAt } from './flexible.js';

const KIND = { box: 0, sphere: 1, capsule: 3 }; // soa_shape

const numbersOf = (matrix) => {
  const e = matrix.elements;
  return [e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10], e[12], e[13], e[14]];
};

/** The z axis of a pose turned onto its x or y axis. */
function turned(matrix, axis) {
  const turn = axis === 2 ? new THREE.Matrix4() : axis === 0 ? new THREE.Matrix4().makeRotationY(Math.PI / 2) : new THREE.Matrix4().makeRotationX(-Math.PI / 2);
  return matrix.clone().multiply(turn);
}

/** A shape of a file as one that can touch: {shape, size, at, how}; null if it cannot. */
function contactOf(g, meshOf) {
  const at = poseAt(g.at, 0);
  if (g.shape === 'sphere') return { shape: 'sphere', size: [g.size[0], 0, 0], at };
  if (g.shape === 'box') return { shape: 'box', size: g.size, at };
  if (g.shape === 'capsule') return { shape: 'capsule', size: [g.size[0], g.size[1], 0], at };
  if (g.shape === 'cylinder') return { shape: 'capsule', size: [g.size[0], Math.max(g.size[1] - 2 * g.size[0], 0), 0], at, how: 'cylinder' };
  if (g.shape === 'ellipsoid') {
    const order = [0, 1, 2].sort((a, b) => g.size[b] - g.size[a]);
    return { shape: 'capsule', size: [g.size[order[1]], 2 * (g.size[order[0]] - g.size[order[1]]), 0], at: turned(at, order[0]), how: 'ellipsoid' };
  }
  const mesh = g.shape === 'mesh' ? meshOf(g) : null;
  if (!mesh) return null;
  const box = new THREE.Box3().setFromObject(mesh); // it has no parent while it is measured
  const size = box.getSize(new THREE.Vector3());
  return box.isEmpty() ? null : { shape: 'box', size: size.toArray(), at: at.multiply(new THREE.Matrix4().makeTranslation(box.getCenter(new THREE.Vector3()))), how: 'mesh' };
}

/** All that touches: [{link, shape, size, at, how}], and how many shapes cannot. */
export function contactsOf(robot) {
  const { model } = robot;
  const list = [];
  let left = 0;
  model.links.forEach((link, k) => {
    if (link.body < 0) return;
    const own = model.geometries.filter((g) => g.link === k && g.shape !== 'plane');
    const touching = own.some((g) => g.collision) ? own.filter((g) => g.collision) : own;
    for (const g of touching) {
      const contact = contactOf(g, (one) => robot.measured.get(one));
      if (contact) list.push({ link: k, ...contact }); else left++;
    }
    if (touching.length === 0) for (const rod of robot.rods.get(k) || []) list.push({ link: k, ...rod });
  });
  return { list: list.slice(0, 512), left: left + Math.max(list.length - 512, 0) };
}

/** The lowest point of a shape in the world. */
function lowest(robot, c) {
  const m = robot.link[c.link].matrix.clone().multiply(c.at);
  const e = m.elements;
  if (c.shape === 'box') return e[14] - 0.5 * (Math.abs(e[2]) * c.size[0] + Math.abs(e[6]) * c.size[1] + Math.abs(e[10]) * c.size[2]);
  return e[14] - c.size[0] - 0.5 * Math.abs(e[10]) * c.size[1];
}

/** Gives the shapes to the library; the ground lies at the floor, or lower if something is below it. */
export function layGround(app) {
  const { library, robot } = app;
  const { list, left } = contactsOf(robot);
  const floor = list.reduce((z, c) => Math.min(z, lowest(robot, c)), app.floor);
  const weight = app.model.mass * Math.max(Math.hypot(...app.model.gravity), 1);
  const ground = { list, left, floor, stiffness: weight / (0.0015 * robot.size) ** 1.5, friction: 0.8 };
  library.run('page_contacts_clear');
  for (const c of list) {
    library.numbers('shape', 15).set([...c.size.slice(0, 3), ...numbersOf(c.at)]);
    library.run('page_contact', c.link, KIND[c.shape], floor, ground.stiffness, ground.friction);
  }
  app.floor = floor;
  app.stage.setFloor(floor);
  return ground;
}

/** The same for a scenario file. */
export function groundLines(app, ground) {
  const text = (x) => `[${x.map((n) => Number(n.toPrecision(12))).join(', ')}]`;
  return ground.list.map((c) => {
    const turn = new THREE.Euler().setFromRotationMatrix(c.at, 'ZYX');
    const e = c.at.elements;
    const size = c.shape === 'box' ? `size: ${text(c.size)}` : `radius: ${c.size[0]}${c.shape === 'capsule' ? `, height: ${c.size[1]}` : ''}`;
    return `  - {kind: contact, a: {link: ${JSON.stringify(app.model.links[c.link].name)}, at: ${text([e[12], e[13], e[14]])}, rpy: ${text([turn.x, turn.y, turn.z])}}, `
      + `b: {link: world, at: [0, 0, ${ground.floor}]}, shape: ${c.shape}, ${size}, stiffness: ${ground.stiffness}, dissipation: 0.8, friction: ${ground.friction}, speed: 0.1}`;
  });
}

/** In words. */
export function groundText({ list, left }) {
  const count = (how, one, many) => { const n = list.filter((c) => c.how === how).length; return n > 0 ? `${n} ${n === 1 ? one : many}` : null; };
  const instead = [count('mesh', 'mesh touches by the box around it', 'meshes touch by the boxes around them'), count('cylinder', 'cylinder by a capsule', 'cylinders by capsules'),
    count('ellipsoid', 'ellipsoid by a capsule', 'ellipsoids by capsules'), left > 0 ? `${left} not at all` : null].filter(Boolean);
  return `${list.length} shape${list.length === 1 ? '' : 's'} can touch the ground${instead.length > 0 ? `: ${instead.join(', ')}` : ''}.`;
}
