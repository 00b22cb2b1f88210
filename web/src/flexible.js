// Flexible links: bent tubes, plates and nodes, drawn from the poses of their nodes that the library computes.
import * as THREE from 'three';

const RING = 14;
const ALONG = 18; // rings of a rod that is drawn between two frames
const BALL = new THREE.SphereGeometry(1, 16, 12);

const vector = (list) => new THREE.Vector3(...list);

/** Pose number i of a list (rotation row by row, then position) as a matrix. */
export function poseAt(list, i) {
  const p = 12 * i;
  return new THREE.Matrix4().set(list[p], list[p + 1], list[p + 2], list[p + 9], list[p + 3], list[p + 4], list[p + 5], list[p + 10],
    list[p + 6], list[p + 7], list[p + 8], list[p + 11], 0, 0, 0, 1);
}

/** What the nodes are: on a line, a grid in a plane (how many in a row), or anything else. */
export function shapeOf(position) {
  const points = position.map(vector);
  const first = points[0];
  const far = points.reduce((best, p) => (p.distanceTo(first) > best.distanceTo(first) ? p : best), first);
  const size = far.distanceTo(first);
  if (!(size > 0)) return { kind: 'nodes' };
  const along = far.clone().sub(first).normalize();
  const off = (p) => { const d = p.clone().sub(first); return d.addScaledVector(along, -d.dot(along)); };
  const wide = points.reduce((best, p) => (off(p).length() > best.length() ? off(p) : best), new THREE.Vector3());
  if (wide.length() < 1e-6 * size) return points.length > 2 ? { kind: 'line', along } : { kind: 'nodes' };
  // A grid: each node is the one before it plus a step, and rows of equal length follow one another.
  const step = points[1].clone().sub(first);
  let row = 2;
  while (row < points.length && points[row].clone().sub(points[row - 1]).distanceTo(step) < 1e-6 * size) row++;
  if (points.length % row !== 0 || points.length === row) return { kind: 'nodes' };
  const next = points[row].clone().sub(first);
  const rows = points.length / row;
  const regular = points.every((p, i) => p.distanceTo(first.clone().addScaledVector(step, i % row).addScaledVector(next, Math.floor(i / row))) < 1e-6 * size * rows);
  return regular ? { kind: 'grid', row, rows, normal: next.cross(step).normalize() } : { kind: 'nodes' };
}

function geometryOf(vertices, index) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * vertices), 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * vertices), 3));
  if (index) geometry.setIndex(index);
  return geometry;
}

function changed(geometry) {
  for (const name of ['position', 'normal']) if (geometry.attributes[name]) geometry.attributes[name].needsUpdate = true;
  geometry.boundingBox = null;
  geometry.boundingSphere = null;
}

/** A tube through frames: rings of points that keep their place in each frame; its ends are closed. */
class Tube {
  constructor(frames, along, radius, material) {
    const side = Math.abs(along.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    const u = side.cross(along).normalize();
    const v = along.clone().cross(u);
    this.along = along;
    const around = Array.from({ length: RING }, (_, i) => { const a = (2 * Math.PI * i) / RING; return u.clone().multiplyScalar(Math.cos(a)).addScaledVector(v, Math.sin(a)); });
    // Of each ring: its frame, its radius, which way its normals point along the tube (0: outward from it).
    const last = frames - 1;
    this.rings = [[0, 0, -1], [0, radius, -1], ...Array.from({ length: frames }, (_, k) => [k, radius, 0]), [last, radius, 1], [last, 0, 1]];
    this.around = around;
    const index = [];
    for (let k = 0; k + 1 < this.rings.length; k++) {
      if (k === 1 || k === this.rings.length - 3) continue; // the edge between a wall and an end
      for (let i = 0; i < RING; i++) {
        const j = (i + 1) % RING;
        index.push(k * RING + i, k * RING + j, (k + 1) * RING + i, k * RING + j, (k + 1) * RING + j, (k + 1) * RING + i);
      }
    }
    this.mesh = new THREE.Mesh(geometryOf(this.rings.length * RING, index), material);
  }

  update(frames) {
    const { position, normal } = this.mesh.geometry.attributes;
    this.rings.forEach(([number, radius, way], k) => {
      const frame = frames[number];
      const e = frame.elements;
      const end = this.along.clone().transformDirection(frame).multiplyScalar(way);
      this.around.forEach((offset, i) => {
        const out = offset.clone().transformDirection(frame);
        const at = 3 * (k * RING + i);
        position.array.set([e[12] + radius * out.x, e[13] + radius * out.y, e[14] + radius * out.z], at);
        normal.array.set((way === 0 ? out : end).toArray(), at);
      });
    });
    changed(this.mesh.geometry);
  }
}

/** A plate: two faces of a thin slab over a grid of nodes, and the grid itself. */
class Plate {
  constructor(shape, thickness, material) {
    this.shape = shape;
    this.half = thickness / 2;
    const { row, rows } = shape;
    const count = row * rows;
    const index = [];
    const lines = [];
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < row; j++) {
        const a = i * row + j;
        for (const side of [0, count]) {
          if (j + 1 < row) lines.push(side + a, side + a + 1);
          if (i + 1 < rows) lines.push(side + a, side + a + row);
        }
        if (j + 1 < row && i + 1 < rows) {
          index.push(a, a + row, a + 1, a + 1, a + row, a + row + 1);
          index.push(count + a, count + a + 1, count + a + row, count + a + 1, count + a + row + 1, count + a + row);
        }
      }
    }
    Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    this.mesh = new THREE.Mesh(geometryOf(2 * count, index), material);
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xdbe6f2, transparent: true, opacity: 0.5 }));
    this.lines.geometry.setAttribute('position', this.mesh.geometry.attributes.position);
    this.lines.geometry.setIndex(lines);
    this.lines.frustumCulled = false;
  }

  update(frames) {
    const { position, normal } = this.mesh.geometry.attributes;
    const count = frames.length;
    frames.forEach((frame, k) => {
      const n = this.shape.normal.clone().transformDirection(frame);
      const e = frame.elements;
      for (const [side, at] of [[1, 3 * k], [-1, 3 * (count + k)]]) {
        position.array.set([e[12] + side * this.half * n.x, e[13] + side * this.half * n.y, e[14] + side * this.half * n.z], at);
        normal.array.set([side * n.x, side * n.y, side * n.z], at);
      }
    });
    changed(this.mesh.geometry);
  }
}

/** `count` frames of a rod that leaves one frame straight on and arrives in another, turned with it: the cubic of a bent
 * beam that reaches by `span` when it is straight. */
function between(from, to, span, count) {
  const a = new THREE.Vector3().setFromMatrixPosition(from);
  const b = new THREE.Vector3().setFromMatrixPosition(to);
  const ta = span.clone().applyMatrix4(new THREE.Matrix4().extractRotation(from));
  const tb = span.clone().applyMatrix4(new THREE.Matrix4().extractRotation(to));
  const qa = new THREE.Quaternion().setFromRotationMatrix(from);
  const qb = new THREE.Quaternion().setFromRotationMatrix(to);
  return Array.from({ length: count }, (_, i) => {
    const s = i / (count - 1);
    const p = new THREE.Vector3().addScaledVector(a, (1 + 2 * s) * (1 - s) ** 2).addScaledVector(ta, s * (1 - s) ** 2)
      .addScaledVector(b, s * s * (3 - 2 * s)).addScaledVector(tb, s * s * (s - 1));
    return new THREE.Matrix4().compose(p, qa.clone().slerp(qb, s), new THREE.Vector3(1, 1, 1));
  });
}

/** A flexible link as it is bent. Its parts stand in the world: `meshes` light up and are picked, `lines` are drawn. */
export class Bent {
  constructor(link, size, paint) {
    const f = link.flexible;
    this.flexible = f;
    this.position = f.position.map(vector);
    this.shape = shapeOf(f.position);
    this.meshes = [];
    this.lines = [];
    this.rods = [];
    const radius = 0.0125 * size;
    if (this.shape.kind === 'line') {
      this.clamp = this.position[0].length() > 1e-9; // the first node is away from it
      if (this.clamp) this.position.unshift(new THREE.Vector3());
      this.fine = 1 + Math.max(1, Math.floor(60 / this.position.length)); // frames of an element, its ends among them
      this.body = new Tube((this.position.length - 1) * (this.fine - 1) + 1, this.shape.along, radius, paint(0x6f9bc4));
      this.meshes.push(this.body.mesh);
    } else if (this.shape.kind === 'grid') {
      this.body = new Plate(this.shape, 0.004 * size, paint(0x4a74a3));
      this.meshes.push(this.body.mesh);
      this.lines.push(this.body.lines);
    } else this.makeNodes(radius, size, paint);
  }

  makeNodes(radius, size, paint) {
    this.balls = new THREE.InstancedMesh(BALL, paint(0x5b6b7d), this.position.length);
    this.balls.frustumCulled = false;
    this.ball = this.position.length > 60 ? 0.004 * size : 1.5 * radius;
    this.meshes.push(this.balls);
    if (this.position.length > 60) return; // a cloud
    this.position.forEach((p, i) => {
      if (p.length() < radius) return;
      const tube = new Tube(ALONG, p.clone().normalize(), radius, paint(0x6f9bc4));
      this.rods.push({ tube, i, span: p });
      this.meshes.push(tube.mesh);
    });
  }

  /** From the frame of the link and the poses of all points. */
  update(frame, points) {
    const { first } = this.flexible;
    const nodes = Array.from({ length: this.flexible.drawn }, (_, i) => poseAt(points, first + i));
    this.tip = new THREE.Vector3().setFromMatrixPosition(nodes[nodes.length - 1]);
    if (this.shape.kind === 'line') this.body.update(this.rings(this.clamp ? [frame, ...nodes] : nodes));
    else if (this.shape.kind === 'grid') this.body.update(nodes);
    else {
      nodes.forEach((m, i) => this.balls.setMatrixAt(i, m.clone().scale(new THREE.Vector3(this.ball, this.ball, this.ball))));
      this.balls.instanceMatrix.needsUpdate = true;
      this.balls.boundingSphere = null;
      this.balls.boundingBox = null;
      this.rods.forEach(({ tube, i, span }) => tube.update(between(frame, nodes[i], span, ALONG)));
    }
    this.nodes = nodes;
  }

  /** Frames along a beam: the cubic of each element. */
  rings(nodes) {
    const list = [nodes[0]];
    for (let i = 0; i + 1 < nodes.length; i++) list.push(...between(nodes[i], nodes[i + 1], this.position[i + 1].clone().sub(this.position[i]), this.fine).slice(1));
    return list;
  }

  /** The node nearest to a place in the world: its number from 1, and the place in its frame. */
  nearest(point) {
    const far = (m) => point.distanceTo(new THREE.Vector3().setFromMatrixPosition(m));
    const i = this.nodes.reduce((best, m, k) => (far(m) < far(this.nodes[best]) ? k : best), 0);
    return { node: 1 + i * this.flexible.stride, local: point.clone().applyMatrix4(this.nodes[i].clone().invert()) };
  }
}
