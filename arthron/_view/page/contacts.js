/**
 * Which bodies points of contact are on, by number; 0 is the world.
 * @typedef {object} ContactData
 * @property {number[][]} points bodies of those that are always there
 * @property {{pairs: number[][], places: number, points: number}[]} links of those that are looked for
 */

const WIDTH = 7; // numbers of a point: its force, where it is, and its gap

/**
 * Torque and force of contact on bodies, in their axes, six numbers each.
 * @param {ContactData} data @param {ArrayLike<number>} numbers what a step told @param {ArrayLike<number>} poses 4 x 4 of bodies
 * @param {number} count of bodies
 */
export function contactWrenches({ points, links }, numbers, poses, count) {
  const found = new Float64Array(6 * count);
  let at = 0;
  const push = (/** @type {number} */ body, /** @type {number} */ sign) => {
    if (!body) return;
    const r = (/** @type {number} */ i, /** @type {number} */ j) => poses[16 * (body - 1) + 4 * i + j];
    const [fx, fy, fz, x, y, z] = [0, 1, 2, 3, 4, 5].map((k) => numbers[at + k] - (k < 3 ? 0 : r(k - 3, 3)));
    const world = [y * fz - z * fy, z * fx - x * fz, x * fy - y * fx, fx, fy, fz];
    for (let k = 0; k < 6; k++) {
      const [first, j] = [k - (k % 3), k % 3];
      found[6 * (body - 1) + k] += sign * (r(0, j) * world[first] + r(1, j) * world[first + 1] + r(2, j) * world[first + 2]);
    }
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
