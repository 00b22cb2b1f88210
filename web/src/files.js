// Files that are dropped or inlined: folders, zip files, meshes. Nothing in them is trusted.
import * as THREE from 'three';
import { ColladaLoader } from 'three/addons/loaders/ColladaLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';
import { Unzip, UnzipInflate } from 'fflate';

export const MOST = { files: 4000, file: 128 << 20, bytes: 512 << 20, triangles: 4e6 };

/** A path inside of the folder that was given, or null: no "..", no absolute paths, no control characters. */
export function safePath(name) {
  const parts = name.replaceAll('\\', '/').split('/').filter((part) => part !== '' && part !== '.');
  // eslint-disable-next-line no-control-regex
  return parts.length === 0 || parts.includes('..') || /^([a-z]:|\/)/i.test(name) || /[\0-\x1f]/.test(name) ? null : parts.join('/');
}

class Basket {
  constructor() { this.files = new Map(); this.bytes = 0; }

  room(bytes, name) {
    this.bytes += bytes;
    if (this.bytes > MOST.bytes || bytes > MOST.file) throw new Error(`${name}: too large; at most ${MOST.file >> 20} MiB each and ${MOST.bytes >> 20} MiB in all`);
  }

  put(name, bytes) {
    const path = safePath(name);
    if (!path) throw new Error(`${name.slice(0, 80)}: this path leads out of the folder; it is refused`);
    if (this.files.size >= MOST.files) throw new Error(`more than ${MOST.files} files`);
    this.files.set(path, bytes);
  }
}

/** Unpacks while counting what comes out, so that a bomb ends early. */
async function unzip(basket, name, packed) {
  let problem = null;
  const unzipper = new Unzip((entry) => {
    if (problem || entry.name.endsWith('/')) return;
    const parts = [];
    let length = 0;
    entry.ondata = (error, data, last) => {
      if (problem) return;
      try {
        if (error) throw new Error(`${name}: not a zip file that can be read (${error.message})`);
        basket.room(data.length, entry.name);
        length += data.length;
        if (length > MOST.file) throw new Error(`${entry.name.slice(0, 80)}: larger than ${MOST.file >> 20} MiB`);
        parts.push(data);
        if (!last) return;
        const bytes = new Uint8Array(length);
        let at = 0;
        for (const part of parts) { bytes.set(part, at); at += part.length; }
        basket.put(entry.name, bytes);
      } catch (fault) {
        problem = fault;
        entry.terminate();
      }
    };
    entry.start();
  });
  unzipper.register(UnzipInflate);
  const step = 1 << 16;
  for (let at = 0; at < packed.length && !problem; at += step) {
    try {
      unzipper.push(packed.subarray(at, at + step), at + step >= packed.length);
    } catch (fault) {
      problem ??= new Error(`${name}: not a zip file that can be read`);
    }
  }
  if (problem) throw problem;
}

async function take(basket, path, file) {
  basket.room(file.size, path);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/\.zip$/i.test(path)) await unzip(basket, path, bytes);
  else basket.put(path, bytes);
}

async function walk(basket, entry, folder) {
  if (entry.isFile) {
    await take(basket, folder + entry.name, await new Promise((yes, no) => { entry.file(yes, no); }));
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((yes, no) => { reader.readEntries(yes, no); });
    if (some.length === 0) return;
    for (const one of some) await walk(basket, one, `${folder}${entry.name}/`);
  }
}

/** path -> bytes of a drop or of chosen files. */
export async function collect(transfer) {
  const basket = new Basket();
  const entries = transfer.items ? [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean) : [];
  if (entries.some((entry) => entry.isDirectory)) for (const entry of entries) await walk(basket, entry, '');
  else for (const file of transfer.files) await take(basket, file.webkitRelativePath || file.name, file);
  return basket.files;
}

/** The files that may be models, the likeliest first. */
export function modelsIn(files) {
  const rank = (path) => (/\.urdf$/i.test(path) ? 0 : /\.ya?ml$/i.test(path) ? 1 : 2) * 100 + path.split('/').length;
  return [...files.keys()].filter((path) => /\.(urdf|ya?ml|xml|mjcf)$/i.test(path)).sort((a, b) => rank(a) - rank(b));
}

// ---- meshes ------------------------------------------------------------------------------------

/** mesh as written in a model -> an object of three.js. */
export class Meshes {
  constructor(files, inlined = {}) {
    this.files = files;
    this.inlined = inlined;
    this.kept = new Map();
    this.problems = [];
  }

  /** The bytes of a file: as inlined, beside the model, else by the longest end of its path. */
  find(mesh, from) {
    if (Object.hasOwn(this.inlined, mesh)) return { path: mesh, bytes: this.inlined[mesh] };
    const folder = (from || '').split('/').slice(0, -1);
    const parts = [...folder, ...mesh.replace(/^(package|file|model):\/\//, '').split('/')];
    const path = [];
    for (const part of parts) { if (part === '..') path.pop(); else if (part !== '.' && part !== '') path.push(part); }
    if (this.files.has(path.join('/'))) return { path: path.join('/'), bytes: this.files.get(path.join('/')) };
    const tail = mesh.split('/').filter((part) => part !== '..' && part !== '.' && part !== '');
    for (let i = 0; i < tail.length; i++) {
      const end = tail.slice(i).join('/');
      for (const [name, bytes] of this.files) if (name === end || name.endsWith(`/${end}`)) return { path: name, bytes };
    }
    return null;
  }

  async load(g, material) {
    const found = this.find(g.mesh, g.file);
    if (!found) return null;
    if (!this.kept.has(found.path)) {
      this.kept.set(found.path, parse(found));
      const left = leftOut(found);
      if (left) this.problems.push(`${g.mesh}: ${left}`);
    }
    const copy = this.kept.get(found.path).clone();
    copy.traverse((part) => {
      if (!part.isMesh) return;
      const own = Array.isArray(part.material) ? part.material[0] : part.material;
      part.material = g.color || !own?.color || found.path.toLowerCase().endsWith('.stl') ? material.clone() : restyle(own);
    });
    const holder = new THREE.Group();
    holder.add(copy);
    return holder;
  }
}

/** What is in a mesh file and is not drawn, in words. */
function leftOut({ path, bytes }) {
  const text = (length) => new TextDecoder().decode(bytes.subarray(0, length));
  if (/\.dae$/i.test(path) && /<(init_from|texture)\b/.test(text(bytes.length))) return 'textures are not drawn; plain colours stand in for them';
  if (/\.obj$/i.test(path) && /^(mtllib|usemtl)\b/m.test(text(1 << 16))) return 'materials of a .mtl file are not read; the colour of the model stands in for them';
  return null;
}

function restyle(own) {
  return new THREE.MeshStandardMaterial({ color: own.color, roughness: 0.62, metalness: 0.08, transparent: own.opacity < 1, opacity: own.opacity, side: own.side });
}

/** What a loader makes of a file; what it throws says nothing to a user. */
function loaded(kind, act) {
  try {
    return act();
  } catch {
    throw new Error(`it is damaged, or no ${kind} file`);
  }
}

function parse({ path, bytes }) {
  const kind = path.split('.').pop().toLowerCase();
  const text = () => new TextDecoder().decode(bytes);
  let object;
  if (kind === 'stl') {
    const count = bytes.length > 84 ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true) : 0;
    const ascii = new TextDecoder().decode(bytes.subarray(0, 5)) === 'solid' && bytes.length !== 84 + 50 * count;
    if (!ascii && (count > MOST.triangles || bytes.length < 84 + 50 * count)) throw new Error('not an STL file, or cut short');
    object = new THREE.Mesh(loaded('STL', () => new STLLoader().parse(bytes.slice().buffer)), new THREE.MeshStandardMaterial());
  } else if (kind === 'obj') {
    object = loaded('OBJ', () => new OBJLoader().parse(text()));
  } else if (kind === 'dae') {
    if (/<!DOCTYPE|<!ENTITY/i.test(text().slice(0, 4096))) throw new Error('a DOCTYPE is not read');
    object = loaded('COLLADA', () => new ColladaLoader().parse(text().replace(/<library_images>[\s\S]*?<\/library_images>/g, '').replace(/<texture [^>]*\/?>/g, ''), '')?.scene);
  } else throw new Error(`a .${kind} file is not read; convert it to STL, OBJ or COLLADA`);
  if (!object) throw new Error('there is nothing to draw in it');
  let triangles = 0;
  object.traverse((part) => {
    if (!part.isMesh) return;
    const { position } = part.geometry.attributes;
    if (!position || !position.array.every(Number.isFinite)) throw new Error('a corner of it is not finite');
    triangles += position.count / 3;
    if (!part.geometry.attributes.normal) part.geometry.computeVertexNormals();
  });
  if (!(triangles <= MOST.triangles)) throw new Error(`more than ${MOST.triangles} triangles`);
  const lights = [];
  object.traverse((part) => { if (part.isLight || part.isCamera) lights.push(part); });
  lights.forEach((part) => part.removeFromParent());
  return object;
}
