import { load } from './wasm.js';

/** @typedef {import('./wasm.js').Program} Program */

/**
 * What a page is told of a scene that it steps by itself.
 * @typedef {object} PhysicsData
 * @property {number} step length of a step [s]
 * @property {Record<string, number[]>} start states by name
 * @property {number[]} values numbers of the scene
 * @property {Record<string, [number, number]>} layout where each of them is among these
 * @property {Record<string, import('./wasm.js').Manifest>} steps manifests of integrators by name
 * @property {import('./wasm.js').Manifest} view
 * @property {Record<string, string>} modules names of arrays that hold the modules
 * @property {number} pull of the hand [N/m]
 */

const BUDGET = 8; // of a frame's time for steps [ms]
const LONGEST = 36000; // frames that are remembered: ten minutes

/** A film that grows at its end: a scene, simulated as time goes by. @implements {import('./source.js').Source} */
export class Physics {
  /**
   * @param {PhysicsData} data @param {Record<string, Uint8Array>} arrays @param {number} count of poses
   * @returns {Promise<Physics>}
   */
  static async of(data, arrays, count) {
    const names = Object.keys(data.steps);
    const module = (/** @type {string} */ name) => /** @type {BufferSource} */ (arrays[data.modules[name]]);
    const steps = await Promise.all(names.map((name) => load(module(name), data.steps[name])));
    const view = await load(module('view'), data.view);
    return new Physics(data, Object.fromEntries(names.map((name, k) => [name, steps[k]])), view, count);
  }

  /** @param {PhysicsData} data @param {Record<string, Program>} steps @param {Program} view @param {number} count */
  constructor(data, steps, view, count) {
    this.data = data;
    this.steps = steps;
    this.view = view;
    this.count = count;
    this.integrator = Object.keys(steps)[0];
    this.values = Float64Array.from(data.values);
    this.start = 0;
    /** How far it is behind the wall clock [s]. */
    this.behind = 0;
    this.reset();
  }

  /** From the start again. */
  reset() {
    this.state = Object.fromEntries(Object.entries(this.data.start).map(([name, x]) => [name, Float64Array.from(x)]));
    this.done = 0;
    this.trouble = false;
    /** @type {{t: number, poses: Float64Array, energy: number[]}[]} */
    this.frames = [];
    this.remember();
  }

  get time() {
    return this.done * this.data.step;
  }

  get end() {
    return this.frames[this.frames.length - 1].t;
  }

  /** Go on to a time, as far as a frame's time allows. @param {number} t */
  grow(t) {
    if (this.trouble) return;
    const program = this.steps[this.integrator];
    const { inputs, results } = program;
    const began = performance.now();
    inputs.parameters.set(this.values);
    inputs.h[0] = this.data.step;
    for (const [name, x] of Object.entries(this.state)) if (inputs[name]) inputs[name].set(x);
    inputs.steps[0] = this.done;
    while (this.time + 0.5 * this.data.step < t) {
      program.run();
      for (const name of Object.keys(inputs)) if (results[name]) inputs[name].set(results[name]);
      this.done += 1;
      if (this.done % 8 === 0 && performance.now() - began > BUDGET) break;
    }
    const after = [...results.q, ...results.qd];
    if (!after.every(Number.isFinite)) {
      this.trouble = true;
      return;
    }
    for (const [name, x] of Object.entries(this.state)) if (results[name]) x.set(results[name]);
    this.behind = Math.max(0, t - this.time - this.data.step);
    this.remember();
  }

  /** Keep what there is to see. */
  remember() {
    const { inputs, results } = this.view;
    for (const [name, x] of Object.entries(this.state)) if (inputs[name]) inputs[name].set(x);
    inputs.t[0] = this.time;
    inputs.parameters.set(this.values);
    this.view.run();
    const poses = new Float64Array(7 * this.count);
    poses[3] = 1;
    for (let i = 1; i < this.count; i++) toPose(results.poses, 16 * (i - 1), poses, 7 * i);
    const frame = { t: this.time, poses, energy: [results.kinetic[0], results.potential[0]] };
    const last = this.frames[this.frames.length - 1];
    if (last && last.t === frame.t) this.frames.pop();
    this.frames.push(frame);
    if (this.frames.length > LONGEST) this.frames.shift();
    this.start = this.frames[0].t;
  }

  /** The last frame at or before a time. @param {number} t */
  frame(t) {
    let low = 0;
    let high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].t <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {number} t @param {number} side */
  neighbour(t, side) {
    const k = this.frame(t);
    const there = side > 0 ? k + 1 : this.frames[k].t < t ? k : k - 1;
    return this.frames[Math.min(Math.max(there, 0), this.frames.length - 1)].t;
  }

  /** @param {number} t @param {Float64Array} out */
  poses(t, out) {
    out.set(this.frames[this.frame(t)].poses);
    return out;
  }

  /** @param {number} t */
  energy(t) {
    return this.frames[this.frame(t)].energy;
  }

  /** Numbers of the scene by name. @param {string} name @param {ArrayLike<number>} numbers */
  set(name, numbers) {
    const [from] = this.data.layout[name];
    this.values.set(numbers, from);
  }

  /** Numbers of the scene by name. @param {string} name */
  get(name) {
    return this.values.subarray(...this.data.layout[name]);
  }

  /** Pull a point of a body to a place. @param {number} body @param {ArrayLike<number>} point @param {ArrayLike<number>} target */
  grab(body, point, target) {
    this.release();
    this.get('arthron.grab.stiffness')[body - 1] = this.data.pull;
    this.set('arthron.grab.point', point);
    this.set('arthron.grab.target', target);
  }

  release() {
    this.get('arthron.grab.stiffness').fill(0);
  }

  /** What was simulated, as Python reads it: `ar.load_trajectory(path, model)`. */
  recording() {
    return { integrator: this.integrator, step: this.data.step, t: this.frames.map((frame) => frame.t) };
  }
}

/** Position and quaternion of a 4 x 4 pose. @param {Float64Array} T @param {number} at @param {Float64Array} out @param {number} to */
function toPose(T, at, out, to) {
  const r = (/** @type {number} */ i, /** @type {number} */ j) => T[at + 4 * i + j];
  const squares = [1 + r(0, 0) + r(1, 1) + r(2, 2), 1 + r(0, 0) - r(1, 1) - r(2, 2), 1 - r(0, 0) + r(1, 1) - r(2, 2), 1 - r(0, 0) - r(1, 1) + r(2, 2)];
  const best = squares.indexOf(Math.max(...squares));
  const rows = [
    [squares[0], r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)],
    [r(2, 1) - r(1, 2), squares[1], r(0, 1) + r(1, 0), r(0, 2) + r(2, 0)],
    [r(0, 2) - r(2, 0), r(0, 1) + r(1, 0), squares[2], r(1, 2) + r(2, 1)],
    [r(1, 0) - r(0, 1), r(0, 2) + r(2, 0), r(1, 2) + r(2, 1), squares[3]],
  ];
  const k = 0.5 / Math.sqrt(squares[best]);
  out.set([r(0, 3), r(1, 3), r(2, 3), ...rows[best].map((x) => x * k)], to);
}
