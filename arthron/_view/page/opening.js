import { middleOf } from './camera.js';
import { norm, placed, subtract } from './math.js';

/** @typedef {import('./math.js').Vec3} Vec3 */

const AHEAD = 3; // how long a scene is watched before it is shown [s]
const LOOKS = 30;
const PATIENCE = 400; // [ms]
const LOST = [1.4, 3]; // of the largest distance from the middle at first, and of that which most have: what is farther has gone off
const STOREY = 8; // from the ground to the first one under it, beside the size of the figure

/**
 * Points of what is seen in the first moments of a scene, which then starts anew.
 * @param {import('./physics.js').Physics} physics
 * @param {Float32Array} extents bodies, and points on them
 * @param {boolean} follow whether the camera goes along
 */
export function firstMoments(physics, extents, follow) {
  const poses = physics.poses(physics.start, new Float64Array(7 * physics.count));
  const opened = middleOf(poses, physics.count);
  const last = performance.now() + PATIENCE;
  const moments = [];
  let largest = Infinity;
  for (let k = 0; k <= LOOKS; k++) {
    let missing = k;
    while (missing && performance.now() < last && !physics.trouble) missing = physics.grow((k * AHEAD) / LOOKS);
    if (missing) break;
    physics.poses(physics.end, poses);
    const gone = follow ? subtract(middleOf(poses, physics.count), opened) : [0, 0, 0];
    const points = [];
    for (let j = 0; j < extents.length; j += 4) {
      points.push(subtract(placed(poses, extents[j], [extents[j + 1], extents[j + 2], extents[j + 3]]), gone));
    }
    const far = distances(points);
    if (!k) largest = Math.max(...far);
    const limit = Math.max(LOST[0] * largest, LOST[1] * median(far));
    moments.push(points.filter((_, j) => far[j] <= limit));
  }
  physics.reset();
  return moments;
}

/** Of points from where most of them are. @param {Vec3[]} points */
function distances(points) {
  const middle = [0, 1, 2].map((k) => median(points.map((p) => p[k])));
  return points.map((p) => norm(subtract(p, middle)));
}

/** @param {number[]} xs */
const median = (xs) => xs.slice().sort((a, b) => a - b)[xs.length >> 1];

/**
 * How far under the ground the next one is for a figure that falls for ever: each twice as deep as the one before.
 * @param {number} deep how far the figure is under the ground @param {number} size of it
 */
export function storey(deep, size) {
  return STOREY * size * (2 ** Math.ceil(Math.log2(1 + Math.max(0, deep / size - 1) / STOREY)) - 1);
}
