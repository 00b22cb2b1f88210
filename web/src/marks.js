// Marks over the robot: arrows of forces, spots where it touches.
import * as THREE from 'three';

const BALL = new THREE.SphereGeometry(1, 24, 12);
const ROD = new THREE.CylinderGeometry(1, 1, 1, 24).rotateX(Math.PI / 2);
const CONE = new THREE.ConeGeometry(1, 1, 24).rotateX(Math.PI / 2);
const FORCE = new THREE.MeshBasicMaterial({ color: 0xc0392b });
const SPOT = new THREE.MeshBasicMaterial({ color: 0x2e9e5b });

/** An arrow that is seen from afar. */
export function arrow(from, along, length, radius) {
  const head = Math.min(0.4 * length, 9 * radius);
  const shaft = new THREE.Mesh(ROD, FORCE);
  shaft.scale.set(radius, radius, length - head);
  shaft.position.z = (length - head) / 2;
  const tip = new THREE.Mesh(CONE, FORCE);
  tip.scale.set(2.8 * radius, 2.8 * radius, head);
  tip.position.z = length - head / 2;
  const group = new THREE.Group().add(shaft, tip);
  group.position.copy(from);
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
  group.userData.arrow = true;
  return group;
}

/** A disc where something presses on the ground. */
export function spot(at, size) {
  const disc = new THREE.Mesh(BALL, SPOT);
  disc.position.copy(at);
  disc.scale.set(0.016 * size, 0.016 * size, 0.004 * size);
  return disc;
}
