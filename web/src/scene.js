// The stage: camera, light, floor, shadows, what is under the pointer.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

THREE.Object3D.DEFAULT_UP.set(0, 0, 1);

const LOOKS = {
  light: { back: 0xf4f5f7, floor: 0xffffff, line: 0xd3d8df, line2: 0xe5e8ed, sky: 0xffffff, ground: 0xb9bec6, sun: 2.2, fill: 1.25 },
  dark: { back: 0x14171c, floor: 0x1a1e25, line: 0x343b47, line2: 0x252b34, sky: 0xaebdd2, ground: 0x20242b, sun: 2.0, fill: 0.95 },
};

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.01, 200);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.ask());
    this.hemisphere = new THREE.HemisphereLight(0xffffff, 0x888888, 1);
    this.sun = new THREE.DirectionalLight(0xffffff, 2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.radius = 5;
    this.floor = new THREE.Mesh(new THREE.CircleGeometry(1, 96), new THREE.ShadowMaterial({ opacity: 0.22 }));
    this.floor.receiveShadow = true;
    this.world = new THREE.Group();
    this.scene.add(this.hemisphere, this.sun, this.sun.target, this.floor, this.world);
    this.size = 1;
    this.drawn = 0;
    this.before = [];
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    canvas.addEventListener('keydown', (event) => this.key(event));
    this.setLook('light');
    this.resize();
  }

  setLook(name) {
    const look = LOOKS[name];
    this.look = name;
    this.scene.background = new THREE.Color(look.back);
    this.hemisphere.color.set(look.sky);
    this.hemisphere.groundColor.set(look.ground);
    this.hemisphere.intensity = look.fill;
    this.sun.intensity = look.sun;
    this.layFloor();
    this.ask();
  }

  layFloor() {
    const look = LOOKS[this.look];
    if (this.grid) this.scene.remove(this.grid);
    const cell = 10 ** Math.round(Math.log10(this.size / 4));
    const count = 2 * Math.ceil((2.4 * this.size) / cell);
    this.grid = new THREE.GridHelper(count * cell, count, look.line, look.line2);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.copy(this.floor.position);
    this.grid.visible = this.floor.visible = this.ground !== false;
    this.scene.add(this.grid);
  }

  /** Camera and light for a model of this box, standing on floor z; in space there is no floor. */
  frame(box, floor, ground = true) {
    this.ground = ground;
    const centre = box.getCenter(new THREE.Vector3());
    this.size = Math.max(box.getSize(new THREE.Vector3()).length(), 0.02);
    this.camera.near = this.size / 200;
    this.camera.far = this.size * 60;
    const far = this.size * 1.18 * Math.max(1, 1.05 / this.camera.aspect);
    this.camera.position.copy(centre).add(new THREE.Vector3(0.78, -1.0, 0.42).normalize().multiplyScalar(far * 1.35));
    this.controls.target.copy(centre);
    this.controls.update();
    this.sun.position.copy(centre).add(new THREE.Vector3(0.6, -0.5, 1.5).multiplyScalar(this.size * 1.6));
    this.sun.target.position.copy(centre);
    const c = this.sun.shadow.camera;
    Object.assign(c, { left: -0.8 * this.size, right: 0.8 * this.size, top: 0.8 * this.size, bottom: -0.8 * this.size, near: this.size * 0.2, far: this.size * 6 });
    c.updateProjectionMatrix();
    this.floor.position.set(centre.x, centre.y, floor - this.size * 1e-3);
    this.floor.scale.setScalar(this.size * 2.4);
    this.layFloor();
    this.camera.updateProjectionMatrix();
    this.ask();
  }

  setFloor(z) {
    this.floor.position.z = z - this.size * 1e-3;
    this.layFloor();
    this.ask();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.ask();
  }

  /** Draws once, at the next frame. */
  ask() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => { this.asked = 0; this.draw(); });
  }

  draw() {
    this.before.forEach((act) => act());
    this.renderer.render(this.scene, this.camera);
    this.drawn++;
  }

  /** Arrow keys turn the view, + and - move it nearer and farther. */
  key(event) {
    const turn = { ArrowLeft: [0.12, 0], ArrowRight: [-0.12, 0], ArrowUp: [0, -0.08], ArrowDown: [0, 0.08] }[event.key];
    const near = { '+': 0.9, '=': 0.9, '-': 1.1 }[event.key];
    if (!turn && !near) return;
    event.preventDefault();
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (near) offset.multiplyScalar(near);
    else {
      const way = new THREE.Spherical().setFromVector3(new THREE.Vector3(offset.x, offset.z, -offset.y));
      way.theta -= turn[0];
      way.phi = Math.min(3.0, Math.max(0.1, way.phi + turn[1]));
      const v = new THREE.Vector3().setFromSpherical(way);
      offset.set(v.x, -v.z, v.y);
    }
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.ask();
  }

  ray(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.camera);
    return caster;
  }

  /** The nearest part of the robot under the pointer: {link, point}, or null. */
  pick(event, roots) {
    const hit = this.ray(event).intersectObjects(roots, true)
      .find((found) => found.object.visible && found.object.userData.link !== undefined && found.object.parent.visible);
    return hit ? { link: hit.object.userData.link, point: hit.point, bends: hit.object.parent === roots[0] } : null;
  }
}
