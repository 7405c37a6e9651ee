import { exponential, logarithm } from './math.js';

/** @typedef {import('./physics.js').State} State */

/**
 * What a page is told of a joint.
 * @typedef {object} JointData
 * @property {string} name
 * @property {'plain' | 'ball' | 'free' | 'none'} kind what is moved of it
 * @property {number} q where its coordinates are
 * @property {number} v where its velocities are
 * @property {string[]} units of these: rad, m or neither
 * @property {(number | null)[]} low limits by coordinate, where there are some
 * @property {(number | null)[]} high
 * @property {boolean[]} fixed which of its velocities the scene prescribes
 */

/**
 * A number that says where a joint is.
 * @typedef {object} Coordinate
 * @property {string} name
 * @property {string} unit
 * @property {number} low
 * @property {number} high
 * @property {boolean} fixed
 * @property {boolean} turns whether a turn more is the same
 * @property {(q: ArrayLike<number>) => number} read
 * @property {(q: ArrayLike<number>) => (state: State, x: number) => void} hold takes it from there on; puts it somewhere, at rest
 */

/** All that can be moved. @param {JointData[]} joints @param {number} size of the figure [m] @param {number[]} start @returns {Coordinate[]} */
export function coordinates(joints, size, start) {
  return joints.flatMap((joint) => {
    const { kind, q, v } = joint;
    if (kind === 'plain') return joint.units.map((unit, k) => plain(joint, k, k, unit, size, start));
    if (kind === 'ball') return turned(joint, q, v);
    if (kind === 'none') return [];
    const places = [0, 1, 2].map((k) => plain(joint, k, 3 + k, 'm', size, start));
    return [...places.map((x, k) => ({ ...x, hold: () => still(x.hold([]), v + 3) })), ...turned(joint, q + 3, v)];
  });
}

/** @param {(state: State, x: number) => void} put @param {number} v */
function still(put, v) {
  return (/** @type {State} */ state, /** @type {number} */ x) => {
    put(state, x);
    state.qd.fill(0, v, v + 3);
  };
}

/**
 * @param {JointData} joint @param {number} k which coordinate @param {number} j which velocity
 * @param {string} unit @param {number} size @param {number[]} start @returns {Coordinate}
 */
function plain(joint, k, j, unit, size, start) {
  const at = joint.q + k;
  const [low, high] = [joint.low[k], joint.high[k]];
  const reach = unit === 'rad' ? Math.PI : unit === 'm' ? size : 1;
  const middle = unit === 'rad' ? 0 : start[at];
  const turns = unit === 'rad' && low === null && high === null;
  return {
    name: joint.units.length > 1 ? `${joint.name} ${unit === 'm' ? 'xyz'[k] : k + 1}` : joint.name,
    unit,
    low: low ?? (high ?? middle + reach) - 2 * reach,
    high: high ?? (low ?? middle - reach) + 2 * reach,
    fixed: joint.fixed[j],
    turns,
    read: (q) => q[at],
    hold: () => ({ q, qd }, x) => {
      q[at] = turns ? x + 2 * Math.PI * Math.round((q[at] - x) / (2 * Math.PI)) : x;
      qd[joint.v + j] = 0;
    },
  };
}

/** Three numbers of a rotation vector. @param {JointData} joint @param {number} at @param {number} v @returns {Coordinate[]} */
function turned(joint, at, v) {
  const vector = (/** @type {ArrayLike<number>} */ q) => logarithm([q[at], q[at + 1], q[at + 2], q[at + 3]]);
  return [0, 1, 2].map((k) => ({
    name: `${joint.name} turn ${'xyz'[k]}`,
    unit: 'rad',
    low: -Math.PI,
    high: Math.PI,
    fixed: joint.fixed[k],
    turns: true,
    read: (q) => vector(q)[k],
    hold: (q) => {
      const held = vector(q);
      return ({ q: there, qd }, x) => {
        held[k] = x;
        there.set(exponential(held), at);
        qd.fill(0, v, v + 3);
      };
    },
  }));
}

/** A number for people. @param {number} x @param {string} unit @param {number} span */
export function worded(x, unit, span) {
  const [scale, name] = unit === 'rad' ? [180 / Math.PI, '°'] : unit === 'm' && span < 0.5 ? [100, ' cm'] : [1, unit && ` ${unit}`];
  const digits = Math.min(3, Math.max(0, Math.ceil(1.5 - Math.log10(span * scale))));
  const text = (x * scale).toFixed(digits);
  return (Number(text) ? text.replace('-', '\u2212') : text.replace('-', '')) + name;
}
