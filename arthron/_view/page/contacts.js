import { cross, dot, scale, subtract } from './math.js';

/**
 * Which bodies points of contact are on, by number; 0 is the world.
 * @typedef {object} ContactData
 * @property {number[][]} points bodies of those that are always there
 * @property {{pairs: number[][], places: number, points: number}[]} links of those that are looked for
 */

const WIDTH = 7; // numbers of a point: its force, where it is, and its gap

/**
 * Torque and force of contact on bodies, in their axes, six numbers each.
 * @param {ContactData} data @param {Float64Array} numbers what a step told @param {ArrayLike<number>} poses 4 x 4 of bodies
 * @param {number} count of bodies
 */
export function contactWrenches({ points, links }, numbers, poses, count) {
  const found = new Float64Array(6 * count);
  let at = 0;
  const three = (/** @type {number} */ k) => [...numbers.subarray(at + k, at + k + 3)];
  const push = (/** @type {number} */ body, /** @type {number} */ sign) => {
    if (!body) return;
    const column = (/** @type {number} */ j) => [0, 4, 8].map((i) => poses[16 * body - 16 + i + j]);
    const force = scale(three(0), sign), torque = cross(subtract(three(3), column(3)), force);
    for (let k = 0; k < 6; k++) found[6 * body - 6 + k] += dot(k < 3 ? torque : force, column(k % 3));
  };
  const one = (/** @type {number[]} */ [a, b]) => {
    push(a, 1);
    push(b, -1);
    at += WIDTH;
  };
  points.forEach(one);
  for (const { pairs, places, points: many } of links) {
    at += 1; // how many there were
    for (let k = 0; k < places; k++) {
      const pair = pairs[numbers[at]] ?? [0, 0]; // a place that is not used has no pair
      at += 1;
      for (let j = 0; j < many; j++) one(pair);
    }
  }
  return found;
}
