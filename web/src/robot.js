// The robot that is drawn: a group per link, its shapes, and what can be laid over them.
import * as THREE from 'three';
import { Bent, poseAt } from './flexible.js';
import { arrow, spot } from './marks.js';
import { ellipsoid, principal } from './math.js';

const PALETTE = [0x9fb3c8, 0xb7c4d3, 0x8fa5bd, 0xc3ccd6];
const ACCENT = 0xd9812f;
const MANY = 1500; // links: more are drawn as lines
const BALL = new THREE.SphereGeometry(1, 32, 20);
const DRUM = new THREE.CylinderGeometry(1, 1, 1, 40).rotateX(Math.PI / 2);

function place(object, pose) {
  object.matrixAutoUpdate = false;
  object.matrix.copy(poseAt(pose, 0));
  return object;
}

function paint(color, opacity = 1) {
  return new THREE.MeshStandardMaterial({ color, roughness: 0.62, metalness: 0.08, transparent: opacity < 1, opacity });
}

const SHAPES = {
  box: (s) => new THREE.BoxGeometry(s[0], s[1], s[2]),
  sphere: (s) => new THREE.SphereGeometry(s[0], 40, 24),
  cylinder: (s) => new THREE.CylinderGeometry(s[0], s[0], s[1], 40).rotateX(Math.PI / 2),
  capsule: (s) => new THREE.CapsuleGeometry(s[0], s[1], 12, 32).rotateX(Math.PI / 2),
  ellipsoid: (s) => new THREE.SphereGeometry(1, 40, 24).scale(s[0], s[1], s[2]),
  plane: (s) => new THREE.PlaneGeometry(s[0] || 100, s[1] || 100),
};

/** A rounded rod from one point to another. */
function rod(from, to, radius, material) {
  const along = to.clone().sub(from);
  const length = along.length();
  const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(radius, Math.max(length, 1e-6), 8, 24).rotateX(Math.PI / 2), material);
  mesh.position.copy(from).addScaledVector(along, 0.5);
  if (length > 1e-9) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.normalize());
  return mesh;
}

export class Robot {
  constructor(model, meshes) {
    this.model = model;
    this.meshes = meshes;
    this.root = new THREE.Group();
    this.over = new THREE.Group(); // closures, forces, trails: in the world
    this.link = model.links.map(() => {
      const group = new THREE.Group();
      group.matrixAutoUpdate = false;
      this.root.add(group);
      return group;
    });
    this.layer = { visual: [], collision: [], skeleton: [], frames: [], axes: [], coms: [], ellipsoids: [], closures: [], trails: [] };
    this.parts = model.bodies.map(() => []); // meshes of each body
    this.missing = new Set(); // meshes that are not among the files
    this.unread = new Set(); // and those that are, but cannot be read
    this.drawn = new Set(); // links with a visual shape
    this.measured = new Map(); // geometry -> its mesh, for the ground
    this.rods = new Map(); // link -> rods that are drawn for it, as capsules
    this.bent = new Map(); // link -> how it is drawn while it bends
  }

  add(layer, link, object) {
    object.traverse((part) => {
      if (!part.isMesh) return;
      part.userData.link = link;
      part.castShadow = part.material.opacity === 1;
      part.receiveShadow = true;
      const body = link >= 0 ? this.model.links[link].body : -1;
      if (body >= 0 && (layer === 'visual' || layer === 'skeleton')) this.parts[body].push(part);
    });
    (link >= 0 ? this.link[link] : this.root).add(object);
    this.layer[layer].push(object);
  }

  /** Everything, once poses are known. */
  async build(pose, points) {
    this.place(pose);
    this.size = this.reach(pose, points);
    await this.buildShapes();
    this.model.links.forEach((link, k) => { if (link.flexible) this.buildBent(link, k, points); });
    if (this.model.links.length > MANY) this.buildLines();
    else this.model.links.forEach((_, k) => this.buildSkeleton(k));
    this.com = new THREE.Mesh(BALL, paint(0xc0392b));
    this.com.scale.setScalar(this.size * 0.02);
    this.over.add(this.com);
    this.layer.coms.push(this.com);
    this.buildClosures();
    this.tint = new Map(this.parts.flat().map((part) => [part, part.material.color.clone()]));
    for (const name of Object.keys(this.layer)) this.show(name, name === 'visual' || name === 'skeleton' || name === 'closures');
  }

  reach(pose, points) {
    const box = new THREE.Box3();
    for (let i = 9; i < points.length; i += 12) box.expandByPoint(new THREE.Vector3(points[i], points[i + 1], points[i + 2]));
    this.model.links.forEach((link, k) => {
      box.expandByPoint(new THREE.Vector3(pose[12 * k + 9], pose[12 * k + 10], pose[12 * k + 11]));
      if (link.mass > 0) box.expandByPoint(new THREE.Vector3(...link.com).applyMatrix4(this.link[k].matrix));
    });
    return Math.max(box.getSize(new THREE.Vector3()).length(), 0.05);
  }

  /** Shapes to look at; then those for collisions, which stand in for a link that has no other shape that can be read. */
  async buildShapes() {
    for (const g of this.model.geometries) if (g.visual && await this.buildShape('visual', g)) this.drawn.add(g.link);
    const bare = new Set(this.model.links.map((_, k) => k).filter((k) => !this.drawn.has(k)));
    for (const g of this.model.geometries) {
      if (g.visual) continue;
      await this.buildShape('collision', g);
      if (bare.has(g.link) && await this.buildShape('visual', g)) this.drawn.add(g.link);
    }
  }

  /** Whether there is something to draw. */
  async buildShape(layer, g) {
    const color = g.color ? new THREE.Color().setRGB(g.color[0], g.color[1], g.color[2], THREE.SRGBColorSpace) : new THREE.Color(PALETTE[(g.link + 4) % 4]);
    const opacity = layer === 'collision' ? 0.35 : g.color ? g.color[3] : 1;
    if (opacity === 0 || (g.shape === 'plane' && !g.size[0] && layer === 'visual')) return false; // the floor is there
    const material = paint(layer === 'collision' ? 0x5a9e8f : color, opacity);
    const shape = g.shape === 'mesh' ? await this.meshOf(g, material) : new THREE.Mesh(SHAPES[g.shape](g.size), material);
    if (!shape) return false;
    if (g.shape === 'mesh') this.measured.set(g, shape.clone());
    this.add(layer, g.link, place(new THREE.Group().add(shape), g.at));
    return true;
  }

  async meshOf(g, material) {
    try {
      const found = await this.meshes.load(g, material);
      if (found) {
        found.scale.multiply(new THREE.Vector3(...g.size));
        return found;
      }
    } catch (problem) {
      if (!this.unread.has(g.mesh)) this.meshes.problems.push(`${g.mesh}: ${problem.message}`);
      this.unread.add(g.mesh);
      return null;
    }
    this.missing.add(g.mesh);
    return null;
  }

  /** A flexible link follows its nodes. Shapes that its file gives it are fixed to its frame and do not bend. */
  buildBent(link, k, points) {
    const bent = new Bent(link, this.size, paint);
    for (const mesh of bent.meshes) {
      mesh.userData.link = k;
      mesh.castShadow = true;
      mesh.receiveShadow = bent.shape.kind !== 'grid'; // a thin plate would shade itself
      if (link.body >= 0) this.parts[link.body].push(mesh);
    }
    this.root.add(...bent.meshes, ...bent.lines);
    this.layer.skeleton.push(...bent.meshes, ...bent.lines);
    this.bent.set(k, bent);
    bent.update(this.link[k].matrix, points);
  }

  /** Links without shapes: rods to what hangs on them, drums at joints, the ellipsoid of the inertia. */
  buildSkeleton(k) {
    const link = this.model.links[k];
    const radius = this.size * 0.0125;
    if (this.drawn.has(k)) return;
    const stiff = !this.bent.has(k);
    const material = paint(PALETTE[k % 4]);
    const ends = this.model.links.filter((other) => other.parent === k).map((other) => new THREE.Vector3(...other.joint.at.slice(9)));
    this.model.frames.filter((frame) => frame.link === k).forEach((frame) => ends.push(new THREE.Vector3(...frame.at.slice(9))));
    if (ends.length === 0 && link.mass > 0) ends.push(new THREE.Vector3(...link.com).multiplyScalar(2));
    this.model.closures.forEach((c) => {
      if (c.a === k) ends.push(new THREE.Vector3(...c.at_a.slice(9)));
      if (c.b === k) ends.push(new THREE.Vector3(...c.at_b.slice(9)));
    });
    const origin = new THREE.Vector3();
    for (const end of ends) if (stiff && end.length() > radius * 0.5) this.addRod(k, rod(origin, end, radius, material.clone()), radius, end.length());
    if (link.joint.nv === 1) {
      const drum = new THREE.Mesh(DRUM, paint(0x5b6b7d));
      drum.scale.set(radius * 1.6, radius * 1.6, radius * 3.6);
      drum.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...link.joint.axis).normalize());
      const holder = new THREE.Group();
      holder.matrixAutoUpdate = false;
      holder.matrix.copy(poseAt(link.joint.child, 0)).invert();
      this.add('skeleton', k, holder.add(drum));
    } else if (link.joint.nv > 1) {
      const ball = new THREE.Mesh(BALL, paint(0x5b6b7d));
      ball.scale.setScalar(radius * 1.7);
      this.add('skeleton', k, ball);
    }
    const longest = ends.reduce((most, end) => Math.max(most, end.length()), this.size * 0.06); // inertias of some files are far too large
    const solid = this.solidOf(link, paint(PALETTE[(k + 1) % 4], 0.5), 0.75 * longest);
    if (solid && stiff && (link.joint.kind !== 'fixed' || link.node > 0)) this.add('skeleton', k, solid);
  }

  addRod(k, mesh, radius, length) {
    mesh.updateMatrix();
    if (!this.rods.has(k)) this.rods.set(k, []);
    this.rods.get(k).push({ shape: 'capsule', size: [radius, length, 0], at: mesh.matrix.clone() });
    this.add('skeleton', k, mesh);
  }

  solidOf(link, material, most = this.size) {
    if (!(link.mass > 0)) return null;
    const { values, vectors: v } = principal(link.moment);
    const halves = ellipsoid(link.mass, values);
    const scale = Math.min(1, most / Math.max(...halves, 1e-12));
    const axes = halves.map((x) => Math.max(x * scale, this.size * 0.004));
    const mesh = new THREE.Mesh(BALL, material);
    mesh.matrixAutoUpdate = false;
    const turn = new THREE.Matrix4().set(v[0][0], v[0][1], v[0][2], 0, v[1][0], v[1][1], v[1][2], 0, v[2][0], v[2][1], v[2][2], 0, 0, 0, 0, 1);
    mesh.matrix.makeTranslation(...link.com).multiply(turn).scale(new THREE.Vector3(...axes));
    return mesh;
  }

  /** Very large models: a line from each link to its parent. */
  buildLines() {
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x5b7a99 }));
    this.lines.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * this.model.links.length), 3));
    this.lines.frustumCulled = false;
    this.over.add(this.lines);
    this.layer.skeleton.push(this.lines);
  }

  /** Frames, axes, centres of mass and ellipsoids are made when they are first wanted. */
  buildMarks(layer) {
    if (this.made?.has(layer)) return;
    (this.made ??= new Set()).add(layer);
    const total = this.model.mass || 1;
    this.model.links.slice(0, MANY).forEach((link, k) => {
      if (layer === 'frames') this.add('frames', k, new THREE.AxesHelper(this.size * 0.07));
      if (layer === 'axes' && link.joint.nv > 0 && link.joint.nv < 3) {
        const axis = new THREE.Vector3(...link.joint.axis).normalize().multiplyScalar(this.size * 0.09);
        const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([axis.clone().negate(), axis]), new THREE.LineBasicMaterial({ color: ACCENT }));
        const holder = new THREE.Group().add(line);
        holder.matrixAutoUpdate = false;
        holder.matrix.copy(poseAt(link.joint.child, 0)).invert();
        this.add('axes', k, holder);
      }
      if (layer === 'coms' && link.mass > 0) {
        const ball = new THREE.Mesh(BALL, paint(ACCENT, 0.85));
        ball.scale.setScalar(this.size * (0.006 + 0.03 * Math.cbrt(link.mass / total)));
        ball.position.set(...link.com);
        this.add('coms', k, ball);
      }
      const solid = layer === 'ellipsoids' ? this.solidOf(link, paint(0x7a6fb0, 0.45)) : null;
      if (solid) this.add('ellipsoids', k, solid);
    });
  }

  buildClosures() {
    this.loops = this.model.closures.map((closure) => {
      const ball = new THREE.Mesh(BALL, paint(ACCENT));
      ball.scale.setScalar(this.size * 0.0225);
      const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial({ color: ACCENT }));
      this.over.add(ball, line);
      this.layer.closures.push(ball, line);
      return { closure, ball, line };
    });
    this.marks = [];
  }

  // ---- moving ------------------------------------------------------------------------------

  place(pose) {
    this.link.forEach((group, k) => {
      group.matrix.copy(poseAt(pose, k));
      group.matrixWorldNeedsUpdate = true;
    });
    if (!this.lines) return;
    const { position } = this.lines.geometry.attributes;
    this.model.links.forEach((link, k) => {
      const p = Math.max(link.parent, 0);
      position.array.set([pose[12 * k + 9], pose[12 * k + 10], pose[12 * k + 11], pose[12 * p + 9], pose[12 * p + 10], pose[12 * p + 11]], 6 * k);
    });
    position.needsUpdate = true;
  }

  world(link, pose) {
    const m = poseAt(pose, 0);
    return link >= 0 ? this.link[link].matrix.clone().multiply(m) : m;
  }

  /** points: poses of both frames of every closure, then of the nodes of flexible links. */
  update(pose, com, points) {
    this.place(pose);
    this.com.position.set(com[0], com[1], com[2]);
    this.loops.forEach(({ ball, line }, i) => {
      const [a, b] = [2 * i, 2 * i + 1].map((n) => new THREE.Vector3().fromArray(points, 12 * n + 9));
      ball.position.copy(a);
      line.geometry.setFromPoints([a, b]);
    });
    for (const [k, bent] of this.bent) bent.update(this.link[k].matrix, points);
    if (this.trails) this.follow();
  }

  /** Loads: count times point, moment, force, whether it is a contact. Contacts have a disc where they press. */
  showLoads(count, numbers, arrows) {
    this.marks.forEach((mark) => this.over.remove(mark));
    this.marks = [];
    const load = Array.from({ length: count }, (_, i) => numbers.slice(10 * i, 10 * i + 10));
    const most = load.reduce((size, n) => Math.max(size, Math.hypot(n[6], n[7], n[8])), 0);
    for (const n of load) {
      const at = new THREE.Vector3(n[0], n[1], n[2]);
      const f = new THREE.Vector3(n[6], n[7], n[8]);
      const length = most > 0 ? (f.length() / most) * this.size * 0.3 : 0;
      if (n[9] === 1) this.marks.push(spot(at, this.size));
      if (arrows && length > this.size * 0.005) this.marks.push(arrow(at, f.normalize(), length, 0.0035 * this.size));
    }
    if (this.marks.length > 0) this.over.add(...this.marks);
  }

  show(layer, on) {
    if (layer === 'trails') this.startTrails(on);
    if (layer === 'forces' || layer === 'contacts') return;
    if (on && ['frames', 'axes', 'coms', 'ellipsoids'].includes(layer)) this.buildMarks(layer);
    this.layer[layer].forEach((object) => { object.visible = on; });
  }

  /** Lines behind the tips. */
  startTrails(on) {
    this.layer.trails.forEach((line) => this.over.remove(line));
    this.layer.trails = [];
    this.trails = null;
    if (!on) return;
    const tips = this.model.links.map((_, k) => k).filter((k) => !this.model.links.some((other) => other.parent === k) && this.model.links[k].body >= 0);
    this.trails = tips.slice(0, 12).map((k) => {
      const line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: ACCENT, transparent: true, opacity: 0.8 }));
      line.frustumCulled = false;
      this.over.add(line);
      this.layer.trails.push(line);
      return { k, line, points: [] };
    });
  }

  follow() {
    for (const trail of this.trails) {
      const link = this.model.links[trail.k];
      const tip = new THREE.Vector3(...(link.mass > 0 ? link.com : [0, 0, 0])).applyMatrix4(this.link[trail.k].matrix);
      trail.points.push(this.bent.get(trail.k)?.tip ?? tip);
      if (trail.points.length > 240) trail.points.shift();
      trail.line.geometry.dispose();
      trail.line.geometry = new THREE.BufferGeometry().setFromPoints(trail.points);
    }
  }

  // ---- light on bodies ---------------------------------------------------------------------------

  /** amount 0 .. 1 of a colour over the parts of a body. */
  light(body, color, amount) {
    for (const part of this.parts[body]) {
      part.material.color.copy(this.tint.get(part)).lerp(new THREE.Color(color), amount);
      part.material.emissive?.set(color).multiplyScalar(0.35 * amount);
    }
  }

  dark() {
    this.parts.forEach((_, body) => this.light(body, 0, 0));
  }
}
