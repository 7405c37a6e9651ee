import { position } from './coordinates.js';

/** @typedef {import('./physics.js').Frame} Frame */
/** @typedef {{name: string, read: (frame: Frame) => number}} Curve */
/** @typedef {{title: string, curves: Curve[]}} Graph */

const SPAN = 10; // seconds that are shown
const POINTS = 160; // of a curve
const COLOURS = 5; // curves that have one
const FAINT = 12; // curves that have none
const STILL = 0.02; // what moves less beside what moves most is left out
const [LEFT, BELOW] = [38, 16]; // where numbers are [px]

/** What can be drawn. @param {import('./physics.js').PhysicsData} data */
export function graphsOf({ coordinates, torques }) {
  /** @type {(unit: string, scale?: number) => Curve[]} */
  const places = (unit, scale = 1) => coordinates.filter((x) => x.unit === unit)
    .map((x) => ({ name: x.name, read: ({ state }) => scale * position(x, state) }));
  /** @type {(unit: string) => Curve[]} */
  const forces = (unit) => torques.flatMap((x, k) =>
    (x.unit === unit ? [{ name: x.name, read: (frame) => frame.torques[k] }] : []));
  /** @type {Graph[]} */
  const graphs = [
    { title: 'energy [J]', curves: [
      { name: 'kinetic', read: ({ energy }) => energy[0] },
      { name: 'potential', read: ({ energy }) => energy[1] },
      { name: 'total', read: ({ energy }) => energy[0] + energy[1] },
    ] },
    { title: 'angles [°]', curves: places('rad', 180 / Math.PI) },
    { title: 'positions [m]', curves: places('m') },
    { title: 'coordinates', curves: places('') },
    { title: 'torques [N m]', curves: forces('rad') },
    { title: 'forces [N]', curves: forces('m') },
    { title: 'generalized forces', curves: forces('') },
  ];
  return graphs.filter(({ curves }) => curves.length);
}

/** Few frames of the last seconds up to one, the same ones as time goes on. @param {Frame[]} frames @param {number} last */
export function lately(frames, last) {
  const gap = SPAN / POINTS;
  const found = [frames[last]];
  for (let k = last - 1; k >= 0 && frames[k + 1].t > frames[last].t - SPAN - gap; k--) {
    if (Math.floor(frames[k].t / gap) < Math.floor(frames[k + 1].t / gap)) found.push(frames[k]);
  }
  return found.reverse();
}

/**
 * Which curves have colours: those that move most. One that has a colour keeps it until another
 * moves half as much again; -1 is none.
 * @param {number[]} spans how much each moves @param {number[]} before
 */
export function coloured(spans, before) {
  const weights = spans.map((x, k) => (before.includes(k) ? 1.5 * x : x));
  const best = ranked(weights).filter((k) => spans[k] > STILL * Math.max(...spans)).slice(0, COLOURS);
  const fresh = best.filter((k) => !before.includes(k));
  return Array.from({ length: COLOURS }, (_, slot) => (best.includes(before[slot]) ? before[slot] : fresh.shift() ?? -1));
}

/** Places of numbers, that of the greatest first. @param {number[]} numbers */
const ranked = (numbers) => numbers.map((_, k) => k).sort((a, b) => numbers[b] - numbers[a]);

/** Round numbers between two, about so many. @param {number} low @param {number} high @param {number} count */
export function ticks(low, high, count) {
  const rough = (high - low) / count;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const gap = ten * ([1, 2, 5].find((x) => x * ten >= rough) ?? 10);
  const first = Math.ceil(low / gap);
  return Array.from({ length: Math.floor(high / gap) - first + 1 }, (_, k) => (first + k) * gap);
}

/** Curves that scroll in time. */
export class Plot {
  /** @param {HTMLCanvasElement} canvas @param {HTMLElement} legend @param {Graph} graph */
  constructor(canvas, legend, graph) {
    this.canvas = canvas;
    this.legend = legend;
    this.theme = '';
    /** @type {string[]} */
    this.inks = [];
    this.choose(graph);
  }

  /** @param {Graph} graph */
  choose(graph) {
    this.graph = graph;
    /** @type {number[]} curves that have colours */
    this.slots = [];
    this.canvas.setAttribute('aria-label', `${graph.title} of the last ${SPAN} seconds`);
  }

  /** Give colours to curves, and say which. @param {number[]} slots */
  colour(slots) {
    if (String(slots) === String(this.slots)) return;
    this.slots = slots;
    this.legend.replaceChildren(...slots.map((k, slot) => {
      const item = document.createElement('li');
      item.className = `curve${slot}`;
      item.textContent = item.title = this.graph.curves[k]?.name ?? '';
      return item;
    }));
  }

  /** As large as its place, with the colours of the page. */
  prepare() {
    const { canvas } = this;
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(wide * ratio)) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(high * ratio);
    }
    const { theme = '' } = document.documentElement.dataset;
    if (theme !== this.theme) {
      const style = getComputedStyle(canvas);
      this.theme = theme;
      this.inks = ['quiet', 'line', 'curve0', 'curve1', 'curve2', 'curve3', 'curve4'].map((name) => style.getPropertyValue(`--${name}`));
    }
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    return { pen, wide, high };
  }

  /** @param {Frame[]} frames @param {number} last the one that is shown */
  draw(frames, last) {
    const { pen, wide, high } = this.prepare();
    const { curves, title } = this.graph;
    const shown = lately(frames, last);
    const rows = curves.map(({ read }) => shown.map(read));
    const spans = rows.map((row) => Math.max(...row) - Math.min(...row));
    const few = curves.length <= 3;
    this.colour(few ? [0, 1, 2].slice(0, curves.length) : coloured(spans, this.slots));
    const others = few ? [] : ranked(spans).filter((k) => !this.slots.includes(k) && spans[k] > STILL * Math.max(...spans));
    const drawn = [...others.slice(0, FAINT), ...this.slots.filter((k) => k >= 0)];
    const numbers = drawn.length ? drawn.flatMap((k) => rows[k]) : [0];
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    const room = Math.max(0.06 * (most - least), 1e-3 * Math.abs(most), 1e-6);
    const [low, top, end] = [least - room, most + room, Math.max(frames[last].t, SPAN)];
    /** @param {number} t */
    const x = (t) => wide - 1 - ((end - t) / SPAN) * (wide - 1 - LEFT);
    /** @param {number} v */
    const y = (v) => ((top - v) / (top - low)) * (high - BELOW);

    const [quiet, line, ...inks] = this.inks;
    pen.font = '10px system-ui, sans-serif';
    Object.assign(pen, { fillStyle: quiet, strokeStyle: line, lineWidth: 1, textAlign: 'right' });
    pen.beginPath();
    for (const v of ticks(low, top, 4)) {
      pen.moveTo(LEFT, y(v));
      pen.lineTo(wide, y(v));
      pen.fillText(String(Number(v.toPrecision(4))).replace('-', '\u2212'), LEFT - 5, Math.max(y(v) + 3, 9));
    }
    pen.textAlign = 'center';
    for (const t of ticks(end - SPAN, end, 5)) {
      pen.moveTo(x(t), 0);
      pen.lineTo(x(t), high - BELOW);
      if (x(t) < wide - 12) pen.fillText(`${t} s`, x(t), high - 4);
    }
    pen.stroke();
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, wide - LEFT, high - BELOW);
    pen.clip();
    for (const k of drawn) {
      const ink = inks[this.slots.indexOf(k)];
      pen.strokeStyle = ink ?? quiet;
      pen.globalAlpha = ink ? 1 : 0.3;
      pen.lineWidth = !ink ? 0.7 : curves[k].name === 'total' ? 2.2 : 1.5;
      pen.beginPath();
      rows[k].forEach((v, n) => {
        const jumps = title[0] === 'a' && Math.abs(v - rows[k][n - 1]) > 180; // of a rotation vector
        pen[jumps ? 'moveTo' : 'lineTo'](x(shown[n].t), y(v));
      });
      pen.stroke();
    }
    pen.restore();
  }
}
