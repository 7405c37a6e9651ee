import { position } from './coordinates.js';

/** @typedef {import('./physics.js').Frame} Frame */
/** @typedef {{name: string, read: (frame: Frame) => number}} Curve */
/** @typedef {{title: string, curves: Curve[]}} Graph */

const SPAN = 10; // seconds that are shown
const POINTS = 160; // of a curve
const COLOURS = 5; // curves that have one
const FAINT = 12; // curves without
const STILL = 0.02; // what moves less than this beside the most is left out

/** What can be drawn. @param {import('./physics.js').PhysicsData} data @returns {Graph[]} */
export function graphsOf({ coordinates, torques }) {
  const places = (/** @type {string} */ unit, scale = 1) => coordinates.filter((x) => x.unit === unit)
    .map((x) => ({ name: x.name, read: (/** @type {Frame} */ frame) => scale * position(x, frame.state) }));
  const forces = (/** @type {string} */ unit) => torques
    .map(({ name }, k) => ({ name, read: (/** @type {Frame} */ frame) => frame.torques[k] }))
    .filter((_, k) => torques[k].unit === unit);
  const energies = [
    { name: 'kinetic', read: (/** @type {Frame} */ { energy }) => energy[0] },
    { name: 'potential', read: (/** @type {Frame} */ { energy }) => energy[1] },
    { name: 'total', read: (/** @type {Frame} */ { energy }) => energy[0] + energy[1] },
  ];
  return [
    { title: 'energy [J]', curves: energies },
    { title: 'angles [°]', curves: places('rad', 180 / Math.PI) },
    { title: 'positions [m]', curves: places('m') },
    { title: 'coordinates', curves: places('') },
    { title: 'torques [N m]', curves: forces('rad') },
    { title: 'forces [N]', curves: forces('m') },
    { title: 'generalized forces', curves: forces('') },
  ].filter(({ curves }) => curves.length);
}

/** Few frames of the last seconds before one, always the same ones as time goes on. @param {Frame[]} frames @param {number} last */
export function lately(frames, last) {
  const cell = (/** @type {number} */ k) => Math.floor((frames[k].t * POINTS) / SPAN);
  const found = [frames[last]];
  for (let k = last - 1; k >= 0 && frames[k + 1].t > frames[last].t - SPAN - SPAN / POINTS; k--) {
    if (cell(k) !== cell(k + 1)) found.push(frames[k]);
  }
  return found.reverse();
}

/**
 * Which curves get colours: those that move most. One that has a colour keeps it until another
 * moves half as much again; -1 where there is none.
 * @param {number[]} spans how much each moves @param {number[]} before
 */
export function coloured(spans, before) {
  const most = Math.max(...spans);
  const weight = (/** @type {number} */ k) => spans[k] * (before.includes(k) ? 1.5 : 1);
  const best = spans.map((_, k) => k).filter((k) => spans[k] > STILL * most)
    .sort((a, b) => weight(b) - weight(a)).slice(0, COLOURS);
  const fresh = best.filter((k) => !before.includes(k));
  return Array.from({ length: COLOURS }, (_, slot) => (best.includes(before[slot]) ? before[slot] : fresh.shift() ?? -1));
}

/** Round numbers, about so many, between two. @param {number} low @param {number} high @param {number} count */
export function ticks(low, high, count) {
  const rough = (high - low) / count;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const gap = ten * ([1, 2, 5].find((x) => x * ten >= rough) ?? 10);
  const first = Math.ceil(low / gap);
  return Array.from({ length: Math.floor(high / gap) - first + 1 }, (_, k) => (first + k) * gap);
}

/** Curves that scroll in time. */
export class Plot {
  /** @param {HTMLCanvasElement} canvas @param {HTMLElement} legend */
  constructor(canvas, legend) {
    this.canvas = canvas;
    this.legend = legend;
    this.theme = '';
    /** @type {string[]} */
    this.inks = [];
    /** @type {Graph | null} */
    this.graph = null;
    /** @type {number[]} */
    this.slots = [];
  }

  /** @param {Graph} graph */
  choose(graph) {
    this.graph = graph;
    this.slots = [];
    this.canvas.setAttribute('aria-label', `${graph.title} of the last ${SPAN} seconds`);
  }

  /** Names of curves that have colours. @param {number[]} slots */
  name(slots) {
    if (String(slots) === String(this.slots)) return;
    this.slots = slots;
    this.legend.replaceChildren(...slots.map((k, slot) => {
      const item = document.createElement('li');
      item.className = `curve${slot}`;
      item.textContent = item.title = k < 0 ? '' : this.graph?.curves[k].name ?? '';
      return item;
    }));
  }

  /** @param {Frame[]} frames @param {number} last the one that is shown */
  draw(frames, last) {
    const { canvas, graph } = this;
    const pen = canvas.getContext('2d');
    const [wide, high, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
    if (!graph || !pen || !wide) return;
    if (canvas.width !== Math.round(wide * ratio)) [canvas.width, canvas.height] = [wide, high].map((x) => Math.round(x * ratio));
    const theme = document.documentElement.dataset.theme ?? '';
    if (theme !== this.theme) {
      const style = getComputedStyle(canvas);
      this.theme = theme;
      this.inks = ['quiet', 'line', ...[0, 1, 2, 3, 4].map((k) => `curve${k}`)].map((name) => style.getPropertyValue(`--${name}`));
    }
    const [quiet, line, ...inks] = this.inks;
    const shown = lately(frames, last);
    const rows = graph.curves.map(({ read }) => shown.map(read));
    const ends = rows.map((row) => [Math.min(...row), Math.max(...row)]);
    const spans = ends.map(([a, b]) => b - a);
    const few = rows.length <= 3;
    this.name(few ? rows.map((_, k) => k) : coloured(spans, this.slots));
    const faint = few ? [] : spans.map((_, k) => k).filter((k) => !this.slots.includes(k) && spans[k] > STILL * Math.max(...spans))
      .sort((a, b) => spans[b] - spans[a]).slice(0, FAINT);
    const drawn = [...faint, ...this.slots.filter((k) => k >= 0)];
    let [low, top] = drawn.length ? [Math.min(...drawn.map((k) => ends[k][0])), Math.max(...drawn.map((k) => ends[k][1]))] : [0, 0];
    const room = Math.max(0.06 * (top - low), 1e-3 * Math.abs(top), 1e-6);
    [low, top] = [low - room, top + room];
    const [left, bottom] = [38, 16];
    const end = Math.max(shown[shown.length - 1].t, SPAN);
    const x = (/** @type {number} */ t) => left + (1 - (end - t) / SPAN) * (wide - left - 1);
    const y = (/** @type {number} */ v) => (high - bottom) * (1 - (v - low) / (top - low));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    pen.font = '10px system-ui, sans-serif';
    pen.fillStyle = quiet;
    pen.strokeStyle = line;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.textAlign = 'right';
    for (const v of ticks(low, top, 4)) {
      pen.moveTo(left, y(v));
      pen.lineTo(wide, y(v));
      pen.fillText(String(Number(v.toPrecision(4))).replace('-', '\u2212'), left - 5, Math.max(y(v) + 3, 9));
    }
    pen.textAlign = 'center';
    for (const t of ticks(end - SPAN, end, 5)) {
      pen.moveTo(x(t), 0);
      pen.lineTo(x(t), high - bottom);
      if (x(t) < wide - 12) pen.fillText(`${t} s`, x(t), high - 4);
    }
    pen.stroke();
    pen.save();
    pen.beginPath();
    pen.rect(left, 0, wide - left, high - bottom);
    pen.clip();
    for (const k of drawn) {
      const slot = this.slots.indexOf(k);
      pen.strokeStyle = slot < 0 ? quiet : inks[slot];
      pen.globalAlpha = slot < 0 ? 0.3 : 1;
      pen.lineWidth = slot < 0 ? 0.7 : few && k === 2 ? 2.2 : 1.5;
      pen.beginPath();
      shown.forEach(({ t }, n) => {
        const jumps = !n || (graph.title[0] === 'a' && Math.abs(rows[k][n] - rows[k][n - 1]) > 180);
        pen[jumps ? 'moveTo' : 'lineTo'](x(t), y(rows[k][n]));
      });
      pen.stroke();
    }
    pen.restore();
  }
}
