import { exponential, logarithm } from './math.js';

/** @typedef {import('./physics.js').State} State */

/**
 * A number that says where a joint is.
 * @typedef {object} Coordinate
 * @property {string} name
 * @property {string} unit rad, m or nothing
 * @property {number} q where it is, or the quaternion of whose rotation vector it is a part
 * @property {[number, number]} v velocities that are zero while it is held: from, to
 * @property {number | null} turn which part of a rotation vector
 * @property {number | null} low
 * @property {number | null} high
 * @property {boolean} fixed whether the scene prescribes it
 */

/** @param {Coordinate} coordinate @param {State} state */
export function position({ q: at, turn }, { q }) {
  return turn === null ? q[at] : logarithm(q.subarray(at, at + 4))[turn];
}

/**
 * Takes a coordinate as it is in a state; what comes back puts it somewhere, at rest.
 * @param {Coordinate} coordinate @param {State} now
 * @returns {(state: State, x: number) => void}
 */
export function grasped({ q: at, v, turn, low, high, unit }, now) {
  const vector = turn === null ? null : logarithm(now.q.subarray(at, at + 4));
  const round = unit === 'rad' && low === null && high === null ? 2 * Math.PI : Infinity;
  return ({ q, qd }, x) => {
    if (vector && turn !== null) {
      vector[turn] = x;
      q.set(exponential(vector), at);
    } else q[at] = x + (round < Infinity ? round * Math.round((q[at] - x) / round) : 0); // as many turns as before
    qd.fill(0, ...v);
  };
}

/** From where to where it can be moved. @param {Coordinate} coordinate @param {number} start @param {number} size of the figure */
export function reach({ unit, low, high }, start, size) {
  const far = unit === 'rad' ? Math.PI : unit === 'm' ? size : 1;
  const middle = unit === 'rad' ? 0 : start;
  return [low ?? Math.min(middle, high ?? middle) - far, high ?? Math.max(middle, low ?? middle) + far];
}

/** A number for people. @param {number} x @param {string} unit @param {number} span */
export function worded(x, unit, span) {
  const [scale, name] = unit === 'rad' ? [180 / Math.PI, '°'] : unit === 'm' && span < 0.5 ? [100, ' cm'] : [1, unit && ` ${unit}`];
  const size = Math.abs(x * scale);
  const fine = span * scale < 50 && size < 100 ? 2 : 0;
  const text = size < 1e4 ? (x * scale).toFixed(fine) : (x * scale).toExponential(1).replace('+', '');
  return (Number(text) ? text.replace('-', '\u2212') : text.replace('-', '')) + name;
}
