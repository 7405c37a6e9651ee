import { cross, dot, norm, subtract } from './math.js';

/**
 * Triangles with a normal at each corner.
 * @typedef {{points: Float32Array, normals: Float32Array, faces: Uint32Array}} Geometry
 */

const SIDES = 32; // of circles, a multiple of four
const EDGE = 0.15; // radius at the edges of a box, beside half of its shortest side
const CREASE = Math.cos(0.7); // faces that meet at more than this angle [rad] keep their edge

/**
 * What an outline of (radius, z, normal outwards, normal upwards), upwards, sweeps as it turns about z.
 * @param {number[][]} outline @param {number} sides @returns {Geometry}
 */
export function swept(outline, sides = SIDES) {
  /** @type {number[][]} */
  const [points, normals, faces] = [[], [], []];
  outline.forEach(([r, z, out, up], row) => {
    for (let k = 0; k <= sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      const c = Math.cos(angle);
      const s = Math.sin(angle);
      points.push(r * c, r * s, z);
      normals.push(out * c, out * s, up);
      if (row && k) {
        const b = row * (sides + 1) + k;
        const a = b - sides - 1;
        faces.push(a - 1, a, b, a - 1, b, b - 1);
      }
    }
  });
  return { points: new Float32Array(points), normals: new Float32Array(normals), faces: new Uint32Array(faces) };
}

/** A ball from pole to pole, pulled apart at the equator. @param {number} r @param {number} length */
function pill(r, length) {
  const quarter = SIDES / 4;
  const rows = [];
  for (let k = -quarter; k <= quarter; k++) {
    const angle = (Math.PI / 2) * (k / quarter);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    if (k <= 0) rows.push([r * c, r * s - length / 2, c, s]);
    if (k >= 0 && (length > 0 || k > 0)) rows.push([r * c, r * s + length / 2, c, s]);
  }
  return rows;
}

/** A box with rounded edges: eighths of a ball in its corners. @param {number[]} size @returns {Geometry} */
function roundedBox(size) {
  const half = size.map((x) => x / 2);
  const r = EDGE * Math.min(...half);
  const points = [];
  const normals = [];
  const faces = [];
  const steps = [-1, -0.7, -0.35, 0, 0, 0.35, 0.7, 1]; // of a face's grid: its edges, twice the middle
  const n = steps.length;
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const first = points.length / 3;
      for (let j = 0; j < n; j++) {
        for (let i = 0; i < n; i++) {
          const p = [0, 0, 0];
          p[axis] = side;
          const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
          // the inner rows are the flat of the face, the outer ones bend over its edge by 45 degrees
          const bend = (/** @type {number} */ k) => (k < n / 2 ? -1 : 1) * Math.tan((Math.PI / 4) * Math.abs(steps[k]));
          p[u] = bend(i);
          p[v] = bend(j);
          const size3 = norm(p);
          const normal = p.map((x) => x / size3);
          const signs = [0, 0, 0];
          signs[axis] = side;
          signs[u] = i < n / 2 ? -1 : 1;
          signs[v] = j < n / 2 ? -1 : 1;
          for (let c = 0; c < 3; c++) points.push(signs[c] * (half[c] - r) + r * normal[c]);
          normals.push(...normal);
        }
      }
      for (let j = 0; j + 1 < n; j++) {
        for (let i = 0; i + 1 < n; i++) {
          const a = first + j * n + i;
          const quad = [a, a + 1, a + n + 1, a, a + n + 1, a + n];
          faces.push(...(side > 0 ? quad : quad.reverse()));
        }
      }
    }
  }
  return { points: new Float32Array(points), normals: new Float32Array(normals), faces: new Uint32Array(faces) };
}

/**
 * Triangles of a shape about its centre, as `solids.py` has them.
 * @param {string} kind @param {number[]} sizes @returns {Geometry}
 */
export function shaped(kind, sizes) {
  switch (kind) {
    case 'sphere':
      return swept(pill(sizes[0], 0));
    case 'capsule':
      return swept(pill(sizes[0], sizes[1]));
    case 'cylinder': {
      const [r, l] = [sizes[0], sizes[1] / 2];
      return swept([[0, -l, 0, -1], [r, -l, 0, -1], [r, -l, 1, 0], [r, l, 1, 0], [r, l, 0, 1], [0, l, 0, 1]]);
    }
    case 'ellipsoid': {
      const ball = swept(pill(1, 0));
      for (let k = 0; k < ball.points.length; k++) {
        ball.points[k] *= sizes[k % 3];
        ball.normals[k] /= sizes[k % 3];
      }
      return ball;
    }
    case 'box':
      return roundedBox(sizes);
  }
  throw new Error(`a shape of unknown kind, ${kind}`);
}

/**
 * Triangles of a mesh: points are whole numbers in a box; normals are those of the faces around a
 * corner, except across creases.
 * @param {Uint16Array} packed @param {Uint32Array} faces @param {number[]} low @param {number[]} span
 * @returns {Geometry}
 */
export function unpackedMesh(packed, faces, low, span) {
  const at = new Float64Array(packed.length);
  for (let k = 0; k < packed.length; k++) at[k] = low[k % 3] + (packed[k] / 65535) * span[k % 3];
  const corner = (/** @type {number} */ k) => at.subarray(3 * faces[k], 3 * faces[k] + 3);
  const count = faces.length / 3;
  const normal = []; // of each face, as long as twice its area
  const facing = []; // the same, of length one
  for (let f = 0; f < count; f++) {
    const [a, b, c] = [corner(3 * f), corner(3 * f + 1), corner(3 * f + 2)];
    const n = cross(subtract(b, a), subtract(c, a));
    const size = norm(n) || 1;
    normal.push(n);
    facing.push([n[0] / size, n[1] / size, n[2] / size]);
  }
  const firsts = new Uint32Array(at.length / 3 + 1); // where the faces of each point start in `around`
  for (const v of faces) firsts[v + 1]++;
  for (let v = 1; v < firsts.length; v++) firsts[v] += firsts[v - 1];
  const around = new Uint32Array(faces.length);
  const filled = firsts.slice();
  for (let k = 0; k < faces.length; k++) around[filled[faces[k]]++] = Math.floor(k / 3);
  const points = new Float32Array(3 * faces.length);
  const normals = new Float32Array(3 * faces.length);
  for (let k = 0; k < faces.length; k++) {
    const own = facing[Math.floor(k / 3)];
    const sum = [0, 0, 0];
    for (let j = firsts[faces[k]]; j < firsts[faces[k] + 1]; j++) {
      if (dot(facing[around[j]], own) < CREASE) continue;
      for (let c = 0; c < 3; c++) sum[c] += normal[around[j]][c];
    }
    points.set(corner(k), 3 * k);
    normals.set(sum, 3 * k);
  }
  return { points, normals, faces: new Uint32Array(faces.length).map((_, k) => k) };
}

/**
 * A coil around z from 0 to 1 for a program that bends it: each point is how far along it is,
 * the angle on its wire, and nothing. @param {number} turns @returns {Geometry}
 */
export function coil(turns) {
  const rows = Math.ceil(turns * 16);
  const around = 6;
  const points = [];
  const faces = [];
  for (let j = 0; j <= rows; j++) {
    for (let i = 0; i <= around; i++) {
      points.push(j / rows, (2 * Math.PI * i) / around, 0);
      if (j && i) {
        const b = j * (around + 1) + i;
        const a = b - around - 1;
        faces.push(a - 1, b, a, a - 1, b - 1, b);
      }
    }
  }
  const flat = new Float32Array(points);
  return { points: flat, normals: flat, faces: new Uint32Array(faces) };
}

/**
 * How far along a ray the first triangle is (MT97), or infinity; `grown` outwards.
 * @param {Geometry} geometry @param {number} grown @param {import('./math.js').Vec3} from @param {import('./math.js').Vec3} way
 */
export function intoFaces({ points, normals, faces }, grown, [x, y, z], [u, v, w]) {
  const places = grown ? points.slice() : points;
  for (let k = 0; grown && k < places.length; k += 3) {
    const s = grown / (Math.hypot(normals[k], normals[k + 1], normals[k + 2]) || 1);
    for (let c = k; c < k + 3; c++) places[c] += s * normals[c];
  }
  let best = Infinity;
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
    const [ax, ay, az] = [places[a], places[a + 1], places[a + 2]];
    const [bx, by, bz] = [places[b] - ax, places[b + 1] - ay, places[b + 2] - az];
    const [cx, cy, cz] = [places[c] - ax, places[c + 1] - ay, places[c + 2] - az];
    const [px, py, pz] = [v * cz - w * cy, w * cx - u * cz, u * cy - v * cx];
    const [sx, sy, sz] = [x - ax, y - ay, z - az];
    const size = bx * px + by * py + bz * pz;
    const i = (sx * px + sy * py + sz * pz) / size;
    if (!(i >= 0 && i <= 1)) continue;
    const [qx, qy, qz] = [sy * bz - sz * by, sz * bx - sx * bz, sx * by - sy * bx];
    const j = (u * qx + v * qy + w * qz) / size;
    const t = (cx * qx + cy * qy + cz * qz) / size;
    if (j >= 0 && i + j <= 1 && t > 0 && t < best) best = t;
  }
  return best;
}
