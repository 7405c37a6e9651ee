// Vectors are arrays of three numbers, quaternions (w, x, y, z), matrices 4 x 4 by columns as
// WebGL has them. A pose is seven numbers: position, then quaternion.

/** @typedef {ArrayLike<number>} Vec */
/** @typedef {[number, number, number]} Vec3 */
/** @typedef {[number, number, number, number]} Quaternion */

/** @param {Vec} a @param {Vec} b @returns {Vec3} */
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

/** @param {Vec} a @param {Vec} b @returns {Vec3} */
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** @param {Vec} a @param {number} s @returns {Vec3} */
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];

/** a + s b @param {Vec} a @param {Vec} b @param {number} s @returns {Vec3} */
export const along = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];

/** @param {Vec} a @param {Vec} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** @param {Vec} a @param {Vec} b @returns {Vec3} */
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** @param {Vec} a */
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);

/** @param {Vec} a @returns {Vec3} */
export const unit = (a) => scale(a, 1 / (norm(a) || 1));

/** @param {number} x @param {number} low @param {number} high */
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** A unit vector across another. @param {Vec} z @returns {Vec3} */
export function across(z) {
  const size = [Math.abs(z[0]), Math.abs(z[1]), Math.abs(z[2])];
  const least = size.indexOf(Math.min(...size));
  return unit(cross(z, [0, 1, 2].map((k) => (k === least ? 1 : 0))));
}

/** Matrix whose columns are three axes and an origin. @param {Vec} x @param {Vec} y @param {Vec} z @param {Vec} at */
export const columns = (x, y, z, at) =>
  new Float32Array([x[0], x[1], x[2], 0, y[0], y[1], y[2], 0, z[0], z[1], z[2], 0, at[0], at[1], at[2], 1]);

/** a b @param {Vec} a @param {Vec} b @param {Float32Array} [out] */
export function multiply(a, b, out = new Float32Array(16)) {
  for (let c = 0; c < 16; c += 4) {
    for (let r = 0; r < 4; r++) {
      out[c + r] = a[r] * b[c] + a[4 + r] * b[c + 1] + a[8 + r] * b[c + 2] + a[12 + r] * b[c + 3];
    }
  }
  return out;
}

/** A point by a matrix. @param {Vec} m @param {Vec} p @returns {Vec3} */
export const transform = (m, p) => [
  m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
  m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
  m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
];

/**
 * Matrix of pose k of an array of poses, with its origin moved by -from.
 * @param {Vec} poses @param {number} k @param {Vec} from
 */
export function poseMatrix(poses, k, from = [0, 0, 0]) {
  const o = 7 * k;
  const [w, x, y, z] = [poses[o + 3], poses[o + 4], poses[o + 5], poses[o + 6]];
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    poses[o] - from[0], poses[o + 1] - from[1], poses[o + 2] - from[2], 1,
  ]);
}

/** A point of body k in the world. @param {Vec} poses @param {number} k @param {Vec} p @returns {Vec3} */
export function placed(poses, k, p) {
  const o = 7 * k;
  const v = [poses[o + 4], poses[o + 5], poses[o + 6]];
  const t = scale(cross(v, p), 2);
  const turned = add(along(p, t, poses[o + 3]), cross(v, t));
  return [poses[o] + turned[0], poses[o + 1] + turned[1], poses[o + 2] + turned[2]];
}

/**
 * Part s of the way from quaternion a[i...] to b[j...], along the shorter arc, into out[k...].
 * @param {Vec} a @param {number} i @param {Vec} b @param {number} j @param {number} s
 * @param {Float64Array} out @param {number} k
 */
export function slerp(a, i, b, j, s, out, k) {
  let cosine = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2] + a[i + 3] * b[j + 3];
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(1, cosine * sign);
  const angle = Math.acos(cosine);
  const near = angle < 1e-3;
  const p = near ? 1 - s : Math.sin((1 - s) * angle) / Math.sin(angle);
  const r = sign * (near ? s : Math.sin(s * angle) / Math.sin(angle));
  let size = 0;
  for (let c = 0; c < 4; c++) {
    out[k + c] = p * a[i + c] + r * b[j + c];
    size += out[k + c] * out[k + c];
  }
  size = Math.sqrt(size) || 1;
  for (let c = 0; c < 4; c++) out[k + c] /= size;
}

/** @param {number} field angle from top to bottom @param {number} aspect @param {number} near @param {number} far */
export function perspective(field, aspect, near, far) {
  const f = 1 / Math.tan(field / 2);
  const deep = 1 / (near - far);
  const [a, b] = [(near + far) * deep, 2 * near * far * deep];
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, a, -1, 0, 0, b, 0]);
}

/** What lights that shine straight see: a box of a radius around the origin. @param {number} r @param {number} deep */
export const orthographic = (r, deep) =>
  new Float32Array([1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -1 / deep, 0, 0, 0, 0, 1]);

/** View from a place, looking along -back. @param {Vec} right @param {Vec} above @param {Vec} back @param {Vec} eye */
export const viewMatrix = (right, above, back, eye) =>
  new Float32Array([
    right[0], above[0], back[0], 0,
    right[1], above[1], back[1], 0,
    right[2], above[2], back[2], 0,
    -dot(right, eye), -dot(above, eye), -dot(back, eye), 1,
  ]);

/** sRGB from 0 to 255 as light from 0 to 1. @param {Vec} rgb @returns {Vec3} */
export function linear(rgb) {
  const one = (/** @type {number} */ x) => (x <= 10.31475 ? x / 3294.6 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  return [one(rgb[0]), one(rgb[1]), one(rgb[2])];
}

/** Quaternion of a rotation vector. @param {Vec} r @returns {Quaternion} */
export function exponential(r) {
  const angle = norm(r);
  return [Math.cos(angle / 2), ...scale(r, angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle)];
}

/** Rotation vector of a quaternion, half a turn at most. @param {Vec} q @returns {Vec3} */
export function logarithm(q) {
  const v = [q[1], q[2], q[3]];
  const size = norm(v);
  const angle = 2 * Math.atan2(size, Math.abs(q[0]));
  return scale(v, (q[0] < 0 ? -1 : 1) * (size < 1e-9 ? 2 / Math.abs(q[0]) : angle / size));
}
