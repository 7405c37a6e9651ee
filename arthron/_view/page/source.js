import { clamp, columns, slerp } from './math.js';

/**
 * Where bodies are at a time. Films know it from the start; what simulates may come later with the
 * same three: a span of time, poses and energy.
 * @typedef {object} Source
 * @property {number} start
 * @property {number} end
 * @property {number} count of poses: the world, then bodies
 * @property {(t: number, side: number) => number} neighbour the frame before (-1) or behind (1) a time
 * @property {(t: number) => number} moment when what is shown of a time was
 * @property {(t: number, out: Float64Array) => Float64Array} poses seven numbers each
 * @property {(t: number) => (number[] | null)} energy kinetic and potential [J]
 * @property {(t: number) => ArrayLike<number>} wrenches torque and force on bodies, in their axes, six numbers each, or none
 * @property {(t: number) => Float32Array[]} stretches matrices of bodies that are drawn stretched, in their axes, by number
 * @property {(t: number) => number} [grow] go on to a time behind the end, where there is more to come; how much is missing
 */

/** Of so many times, in order, the last at or before one. @param {number} count @param {(k: number) => number} when @param {number} t */
export function latest(count, when, t) {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (when(middle) <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A recording: frames in time, and what is between two of them. @implements {Source} */
export class Film {
  /**
   * @param {Float64Array} times
   * @param {Float64Array} focus what positions are counted from in each frame
   * @param {Float32Array} positions by body, x y z, and frame
   * @param {Int16Array} turns quaternions by body, w x y z, and frame
   * @param {Float64Array} energies kinetic and potential by frame, or nothing
   * @param {Float32Array} pushes torque and force by body that is pushed, and frame
   * @param {number[]} pushed which bodies these are
   * @param {Float32Array} stretch three rows of a matrix by body that is stretched, and frame
   * @param {number[]} stretched which bodies these are
   */
  constructor(times, focus, positions, turns, energies, pushes, pushed, stretch = new Float32Array(), stretched = []) {
    this.times = times;
    this.focus = focus;
    this.positions = positions;
    this.turns = turns;
    this.energies = energies;
    this.pushes = pushes;
    this.pushed = pushed;
    this.stretch = stretch;
    this.stretched = stretched;
    this.frames = times.length;
    this.count = 1 + turns.length / (4 * this.frames);
    this.start = times[0];
    this.end = times[this.frames - 1];
  }

  /** The last frame at or before a time. @param {number} t */
  frame(t) {
    return latest(this.frames, (k) => this.times[k], t);
  }

  /** @param {number} t */
  moment(t) {
    return t;
  }

  /** The time of the frame before or behind a time. @param {number} t @param {number} side */
  neighbour(t, side) {
    const k = this.frame(t);
    const there = side > 0 ? k + 1 : this.times[k] < t ? k : k - 1;
    return this.times[clamp(there, 0, this.frames - 1)];
  }

  /** The frame before a time, the one behind it, and how far between them it is. @param {number} t */
  between(t) {
    const k = this.frame(t);
    const next = Math.min(k + 1, this.frames - 1);
    const gap = this.times[next] - this.times[k];
    const s = gap > 0 ? clamp((t - this.times[k]) / gap, 0, 1) : 0;
    return { k, next, s };
  }

  /** @param {number} t @param {Float64Array} out */
  poses(t, out) {
    const { k, next, s } = this.between(t);
    const n = this.frames;
    out.fill(0, 0, 7);
    out[3] = 1;
    const [a, b] = [[0, 0, 0, 0], [0, 0, 0, 0]];
    for (let i = 1; i < this.count; i++) {
      for (let c = 0; c < 3; c++) {
        const row = (3 * (i - 1) + c) * n;
        const from = this.positions[row + k] + this.focus[3 * k + c];
        const to = this.positions[row + next] + this.focus[3 * next + c];
        out[7 * i + c] = from + s * (to - from);
      }
      for (let c = 0; c < 4; c++) {
        const row = (4 * (i - 1) + c) * n;
        a[c] = this.turns[row + k] / 32767;
        b[c] = this.turns[row + next] / 32767;
      }
      slerp(a, 0, b, 0, s, out, 7 * i + 3);
    }
    return out;
  }

  /** @param {number} t */
  energy(t) {
    if (!this.energies.length) return null;
    const { k, next, s } = this.between(t);
    return [0, 1].map((c) => this.energies[2 * k + c] * (1 - s) + this.energies[2 * next + c] * s);
  }

  /** @param {number} t */
  wrenches(t) {
    if (!this.pushed.length) return [];
    const { k, next, s } = this.between(t);
    const found = new Float64Array(6 * (this.count - 1));
    this.pushed.forEach((body, j) => {
      for (let c = 0; c < 6; c++) {
        const row = (6 * j + c) * this.frames;
        found[6 * (body - 1) + c] = this.pushes[row + k] * (1 - s) + this.pushes[row + next] * s;
      }
    });
    return found;
  }
  /** @param {number} t */
  stretches(t) {
    const { k, next, s } = this.between(t);
    /** @type {Float32Array[]} */
    const found = [];
    this.stretched.forEach((body, j) => {
      const at = (/** @type {number} */ frame, /** @type {number} */ c) => this.stretch[12 * (j * this.frames + frame) + c];
      const column = (/** @type {number} */ c) => [c, 4 + c, 8 + c].map((i) => at(k, i) * (1 - s) + at(next, i) * s);
      found[body] = columns(column(0), column(1), column(2), column(3));
    });
    return found;
  }
}
