import { fill } from './wasm.js';

/** @typedef {import('./math.js').Vec3} Vec3 */

const HELD = 0.1; // damping of the hand beside its stiffness [s]

/**
 * A spring and damper from a point of a body to where the mouse is.
 *
 * Implicit in the velocity of the point, so that no body is too light for it:
 *
 *     (1 + h (d + h k) A) f = k (target - p - h v) - d v
 *
 * with A what a force changes of the point's acceleration, as steps of the scene have it: inertia,
 * dampers that are implicit and constraints are all in it.
 */
export class Hand {
  /** @param {import('./physics.js').Physics} physics @param {import('./wasm.js').Program} program */
  constructor(physics, program) {
    this.physics = physics;
    this.program = program;
    this.nothing = new Float64Array(physics.data.start.qd.length);
    /** @type {number | null} the body that it holds */
    this.body = null;
    /** @type {Vec3} where on it */
    this.point = [0, 0, 0];
    /** @type {Vec3} */
    this.target = [0, 0, 0];
    /** @type {Vec3} where that point is, in the world */
    this.at = [0, 0, 0];
    /** @type {Vec3} [N] */
    this.force = [0, 0, 0];
    this.mobility = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
  }

  /** Hold a body. @param {number} body @param {Vec3} point in its axes @param {Vec3} target */
  grab(body, point, target) {
    Object.assign(this, { body, point, target, at: target, force: [0, 0, 0] });
  }

  release() {
    this.body = null;
  }

  /** Joint forces of unit forces along the axes; finds the point, too. */
  rows() {
    const { physics, program } = this;
    const held = new Float64Array(physics.count - 1);
    held[/** @type {number} */ (this.body) - 1] = 1;
    fill(program, { q: physics.state.q, held, point: this.point });
    const rows = [0, 1, 2].map((k) => {
      program.inputs.force.set([0, 1, 2].map((j) => Number(j === k)));
      program.run();
      return program.results.tau.slice();
    });
    this.at = /** @type {Vec3} */ (Array.from(program.results.at));
    return rows;
  }

  /** How easily the point moves. It changes little within a frame. */
  feel() {
    if (this.body === null) return;
    const { physics, nothing } = this;
    const rows = this.rows();
    const free = physics.tried(physics.state, nothing).qd.slice();
    const moved = rows.map((row) => physics.tried(physics.state, row).qd.map((x, j) => (x - free[j]) / physics.data.step));
    this.mobility = rows.map((row) => moved.map((change) => dotted(row, change)));
  }

  /** Joint forces now. */
  tau() {
    if (this.body === null) return this.nothing;
    const { step: h, pull: k } = this.physics.data;
    const rows = this.rows();
    const d = HELD * k;
    const soft = h * (d + h * k);
    const matrix = this.mobility.map((row, i) => row.map((x, j) => soft * x + Number(i === j)));
    const wanted = rows.map((row, i) => {
      const speed = dotted(row, this.physics.state.qd);
      return k * (this.target[i] - this.at[i] - h * speed) - d * speed;
    });
    this.force = solved(matrix, wanted);
    return this.nothing.map((_, j) => rows.reduce((sum, row, i) => sum + row[j] * this.force[i], 0));
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
