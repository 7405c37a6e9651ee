import { contactWrenches } from './contacts.js';
import { Hand } from './hand.js';
import { clamp, columns } from './math.js';
import { latest } from './source.js';
import { fill, load } from './wasm.js';

/** @typedef {import('./wasm.js').Program} Program */
/** @typedef {Record<string, Float64Array>} State q, qd and whatever else there is, by name */

/**
 * What a page is told of a scene that it steps by itself.
 * @typedef {object} PhysicsData
 * @property {number} step length of a step [s]
 * @property {boolean} paused whether it waits when the page opens
 * @property {number} pull stiffness of the hand [N/m]
 * @property {Record<string, number[]>} start states by name
 * @property {string[]} memory those of them that integrators remember steps by
 * @property {number[]} values numbers of the scene
 * @property {Record<string, [number, number]>} layout where each of them is among these
 * @property {{label: string, places: number[]}[]} sliders for some of these numbers
 * @property {import('./coordinates.js').Coordinate[]} coordinates
 * @property {{name: string, unit: string}[]} torques by velocity coordinate
 * @property {import('./contacts.js').ContactData} contacts
 * @property {{body: number, coordinate: number, shares: number[]}[]} stretches of bodies, as exp of shares of a coordinate along axes
 * @property {import('./recorder.js').FileData} file
 * @property {string[]} integrators
 * @property {Record<string, import('./wasm.js').Manifest>} modules integrators, `view` and `hand`
 */

/**
 * What is remembered of a moment.
 * @typedef {object} Frame
 * @property {number} t
 * @property {number} steps that led there
 * @property {State} state
 * @property {number[]} energy kinetic and potential [J]
 * @property {Float64Array} torques of all that acts, by velocity coordinate
 * @property {Float64Array} touched torque and force of contact on bodies in the step that led there
 */

const BUDGET = 8; // of a frame's time for steps [ms]
const LONGEST = 36000; // frames that are remembered: ten minutes
const WILD = 1000; // by which no coordinate goes on in a step that is any good [rad, m]
const FAST = 0.1; // what goes on more than that in a step, and ever faster, has begun to

/** A film that grows at its end: a scene, simulated as time goes by. @implements {import('./source.js').Source} */
export class Physics {
  /**
   * @param {PhysicsData} data @param {Record<string, any>} arrays @param {number} count of poses
   * @returns {Promise<Physics>}
   */
  static async of(data, arrays, count) {
    const names = Object.keys(data.modules);
    const loaded = await Promise.all(names.map((name) => load(arrays[`wasm ${name}`], data.modules[name])));
    return new Physics(data, Object.fromEntries(names.map((name, k) => [name, loaded[k]])), count);
  }

  /** @param {PhysicsData} data @param {Record<string, Program>} programs @param {number} count */
  constructor(data, programs, count) {
    this.data = data;
    this.programs = programs;
    this.count = count;
    this.method = data.integrators[0];
    /** @type {(() => void)[]} what else to do after each step */
    this.after = [];
    this.values = Float64Array.from(data.values);
    this.hand = new Hand(this, programs.hand);
    this.reset();
  }

  /** From the start again. */
  reset() {
    this.state = copied(this.data.start);
    this.done = 0;
    /** @type {ArrayLike<number>} what the last step told of contact */
    this.contacts = [];
    /** Whether the scene blew up behind the present. */
    this.trouble = false;
    /** @type {Frame[]} */
    this.frames = [];
    this.remember();
  }

  get integrator() {
    return this.method;
  }

  set integrator(name) {
    this.method = name;
    this.forget();
  }

  /** What the integrator remembers of steps is of no use: they were others', or led elsewhere. */
  forget() {
    for (const name of this.data.memory) this.state[name].set(this.data.start[name]);
  }

  get time() {
    return this.done * this.data.step;
  }

  get start() {
    return this.frames[0].t;
  }

  get end() {
    return this.frames[this.frames.length - 1].t;
  }

  /** Go on to a time, as far as a frame's time allows; returns how much is missing [s]. @param {number} t */
  grow(t) {
    const began = performance.now();
    while (!this.trouble && this.time + 0.5 * this.data.step < t) {
      this.step(this.hand.tau());
      if (performance.now() - began > BUDGET) break;
    }
    this.remember();
    if (this.trouble) this.calm();
    return this.time + 0.5 * this.data.step < t ? t - this.time : 0;
  }

  /** One step on. @param {Float64Array} tau joint forces besides those of the scene */
  step(tau) {
    const results = this.tried(tau);
    this.trouble = !results.q.every(Number.isFinite) || !(fastest(results) * this.data.step < WILD);
    if (this.trouble) return;
    for (const name in this.state) if (results[name]) this.state[name].set(results[name]);
    this.contacts = results.contacts?.slice() ?? [];
    this.done += 1;
    for (const act of this.after) act();
  }

  /** Back to where all was well. */
  calm() {
    const { frames, data } = this;
    const speed = (/** @type {number} */ k) => fastest(frames[k].state) * data.step;
    let k = frames.length - 1;
    while (k && speed(k) > Math.max(FAST, speed(k - 1))) k -= 1;
    this.resume(frames[k].t);
    this.trouble = true;
  }

  /** What a step would give. @param {Float64Array} tau */
  tried(tau) {
    const program = this.programs[this.integrator];
    fill(program, this.state);
    fill(program, { tau, steps: [this.done], h: [this.data.step], parameters: this.values });
    program.run();
    return program.results;
  }

  /** Keep the present, and what can be told of it. */
  remember() {
    const { results } = this.seen(this.state, this.time);
    const energy = [results.kinetic[0], results.potential[0]];
    const touched = this.contacts.length
      ? contactWrenches(this.data.contacts, this.contacts, results.poses, this.count - 1) : new Float64Array(0);
    const frame = {
      t: this.time, steps: this.done, state: copied(this.state), energy, torques: results.torques.slice(), touched,
    };
    if (this.frames.length && this.end === frame.t) this.frames.pop();
    this.frames.push(frame);
    if (this.frames.length > LONGEST) this.frames.shift();
  }

  /** What there is to see of a state. @param {State} state @param {number} t */
  seen(state, t) {
    const { view } = this.programs;
    fill(view, state);
    fill(view, { t: [t], parameters: this.values });
    view.run();
    return view;
  }

  /** Forget what was behind a time, so that another future can be. @param {number} t */
  resume(t) {
    const k = this.frame(t);
    this.frames.length = k + 1;
    this.state = copied(this.frames[k].state);
    this.done = this.frames[k].steps;
    this.contacts = [];
    this.trouble = false;
  }

  /** What is about to change does so from a time on, if there was more behind it, or it blew up there. @param {number} t */
  branch(t) {
    if (this.trouble || t < this.end - 0.5 * this.data.step) this.resume(t);
  }

  /** What is shown of a time. @param {number} t */
  at(t) {
    return this.frames[this.frame(t)];
  }

  /** When that was. @param {number} t */
  moment(t) {
    return this.at(t).t;
  }

  /** The last frame at or before a time, to half a step. @param {number} t */
  frame(t) {
    return latest(this.frames.length, (k) => this.frames[k].t, t + 0.5 * this.data.step);
  }

  /** @param {number} t @param {number} side */
  neighbour(t, side) {
    const k = this.frame(t);
    const there = side > 0 ? k + 1 : this.frames[k].t < t ? k : k - 1;
    return this.frames[clamp(there, 0, this.frames.length - 1)].t;
  }

  /** @param {number} t @param {Float64Array} out */
  poses(t, out) {
    const { state, t: then } = this.at(t);
    const { poses } = this.seen(state, then).results;
    out.fill(0, 0, 7);
    out[3] = 1;
    for (let i = 1; i < this.count; i++) toPose(poses, 16 * (i - 1), out, 7 * i);
    return out;
  }

  /** @param {number} t */
  energy(t) {
    return this.at(t).energy;
  }

  /** @param {number} t */
  wrenches(t) {
    const { state, t: then, touched } = this.at(t);
    return this.seen(state, then).results.wrenches.map((x, k) => x + (touched[k] ?? 0));
  }

  /** @param {number} t */
  stretches(t) {
    /** @type {Float32Array[]} */
    const found = [];
    for (const { body, coordinate, shares } of this.data.stretches) {
      const [x, y, z] = shares.map((share) => Math.exp(share * this.at(t).state.q[coordinate]));
      found[body] = columns([x, 0, 0], [0, y, 0], [0, 0, z], [0, 0, 0]);
    }
    return found;
  }

  /** Numbers of the scene by name, to read and to write. @param {string} name */
  numbers(name) {
    return this.values.subarray(...this.data.layout[name]);
  }
}

/** Of velocities the largest. @param {State} state */
const fastest = ({ qd }) => qd.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

/** @param {Record<string, ArrayLike<number>>} state @returns {State} */
function copied(state) {
  return Object.fromEntries(Object.entries(state).map(([name, x]) => [name, Float64Array.from(x)]));
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
