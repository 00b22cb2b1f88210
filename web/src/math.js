// Small mathematics of the page; the dynamics are the library's.

/** Eigenvalues and vectors (columns) of a symmetric 3x3 matrix [xx xy xz yy yz zz], by Jacobi rotations. */
export function principal([xx, xy, xz, yy, yz, zz]) {
  const a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[p][q]) < 1e-300) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1);
      const s = t * c;
      for (let k = 0; k < 3; k++) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
      for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
      for (let k = 0; k < 3; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
    }
  }
  return { values: [a[0][0], a[1][1], a[2][2]], vectors: v };
}

/** Half axes of the solid ellipsoid of that mass and those moments. */
export function ellipsoid(mass, values) {
  const sum = values[0] + values[1] + values[2];
  return values.map((moment) => Math.sqrt(Math.max(0, 2.5 * (sum - 2 * moment) / mass)));
}

/** C = A B, row by row. */
export function multiply(a, b) {
  const value = new Float64Array(a.rows * b.cols);
  for (let i = 0; i < a.rows; i++) {
    for (let k = 0; k < a.cols; k++) {
      const x = a.value[i * a.cols + k];
      if (x !== 0) for (let j = 0; j < b.cols; j++) value[i * b.cols + j] += x * b.value[k * b.cols + j];
    }
  }
  return { rows: a.rows, cols: b.cols, value };
}

export function transpose(a) {
  const value = new Float64Array(a.rows * a.cols);
  for (let i = 0; i < a.rows; i++) for (let j = 0; j < a.cols; j++) value[j * a.rows + i] = a.value[i * a.cols + j];
  return { rows: a.cols, cols: a.rows, value };
}

export function difference(a, b) {
  let most = 0;
  for (let i = 0; i < a.value.length; i++) most = Math.max(most, Math.abs(a.value[i] - b.value[i]));
  return most;
}
