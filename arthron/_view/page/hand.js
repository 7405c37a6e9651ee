import { fill } from './wasm.js';

/** @typedef {import('./math.js').Vec3} Vec3 */

const HELD = 0.1; // damping of the hand beside its stiffness [s]

/**
 * A spring and damper from a point of a body to where the mouse is.
 *
 * Implicit, so that no body is too light for it: with v the velocity of the point at the end of a
 * step without the hand, and A f what a force adds to its acceleration, both as steps themselves
 * have it, with all that acts and all constraints, it is
 *
 *     (1 + h (d + h k) A) f = k (target - p - h v) - d v
 */
export class Hand {
  /** @param {import('./physics.js').Physics} physics @param {import('./wasm.js').Program} program */
  constructor(physics, program) {
    this.physics = physics;
    this.program = program;
    const forces = () => new Float64Array(physics.data.start.qd.length);
    this.nothing = forces();
    this.pull = forces();
    this.free = forces();
    /** Joint forces of unit forces along the axes. */
    this.rows = [forces(), forces(), forces()];
    /** @type {number | null} the body that it holds */
    this.body = null;
    /** @type {Vec3} where on it */
    this.point = [0, 0, 0];
    /** @type {Vec3} */
    this.target = [0, 0, 0];
    /** @type {Vec3} [N] */
    this.force = [0, 0, 0];
  }

  /** Hold a body. @param {number} body @param {Vec3} point in its axes @param {Vec3} target */
  grab(body, point, target) {
    Object.assign(this, { body, point, target, force: [0, 0, 0] });
  }

  release() {
    this.body = null;
  }

  /** Finds the rows, and where the point is, in the world. @param {number} body */
  find(body) {
    const { inputs, results, run } = this.program;
    inputs.held.fill(0);
    inputs.held[body - 1] = 1;
    fill(this.program, { q: this.physics.state.q, point: this.point });
    this.rows.forEach((row, k) => {
      inputs.force.fill(0);
      inputs.force[k] = 1;
      run();
      row.set(results.tau);
    });
    return results.at;
  }

  /** Joint forces now. */
  tau() {
    if (this.body === null) return this.nothing;
    const { physics, rows, free, target } = this;
    const { step: h, pull: k } = physics.data;
    const d = HELD * k;
    const at = this.find(this.body);
    free.set(physics.tried(this.nothing).qd);
    const wanted = rows.map((row, i) => {
      const v = dotted(row, free);
      return k * (target[i] - at[i] - h * v) - d * v;
    });
    const matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    rows.forEach((push, j) => {
      const { qd } = physics.tried(push);
      for (let n = 0; n < qd.length; n++) this.pull[n] = (d + h * k) * (qd[n] - free[n]);
      rows.forEach((row, i) => (matrix[i][j] += dotted(row, this.pull)));
    });
    this.force = solved(matrix, wanted);
    const [x, y, z] = this.force;
    for (let n = 0; n < free.length; n++) this.pull[n] = rows[0][n] * x + rows[1][n] * y + rows[2][n] * z;
    return this.pull;
  }
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function dotted(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** Three linear equations. @param {number[][]} A @param {number[]} b @returns {Vec3} */
function solved(A, b) {
  const det = (/** @type {number[][]} */ M) =>
    M[0][0] * (M[1][1] * M[2][2] - M[1][2] * M[2][1]) -
    M[0][1] * (M[1][0] * M[2][2] - M[1][2] * M[2][0]) +
    M[0][2] * (M[1][0] * M[2][1] - M[1][1] * M[2][0]);
  const all = det(A);
  return /** @type {Vec3} */ ([0, 1, 2].map((k) => det(A.map((row, i) => row.map((x, j) => (j === k ? b[i] : x)))) / all));
}
