import { add, along, clamp, cross, dot, norm, perspective, scale, unit, viewMatrix } from './math.js';

/** @typedef {import('./math.js').Vec3} Vec3 */
/** @typedef {import('./math.js').Vec} Vec */

const STEEPEST = 1.5; // of the view, up or down [rad]
const ROOM = 1.04; // around what is framed
const WIDEST = 1.35; // a view of where a figure goes, beside one of the figure alone

/** A camera that turns about a point. */
export class Camera {
  /**
   * @param {object} opening what to see when the page opens
   * @param {number} opening.field angle from top to bottom [rad]
   * @param {Vec3} opening.middle what to look at
   * @param {Vec3} opening.back from there to the camera, of length one
   * @param {number[][]} opening.points what has to fit, from the middle
   * @param {Vec3[]} axes two level ones, and up
   */
  constructor(opening, axes) {
    this.opening = opening;
    this.axes = axes;
    this.field = opening.field;
    this.size = Math.max(...opening.points.map(norm), 1e-12);
    this.aspect = 1.6;
    /** Parts of the window's height that bars cover. */
    this.covered = { top: 0, bottom: 0 };
    this.moved = false;
    /** @type {Vec3} */
    this.target = opening.middle;
    this.turn = 0;
    this.rise = 0;
    this.distance = 1;
    this.reset([0, 0, 0]);
  }

  /** From the target to the camera, of length one. */
  get back() {
    const [x, y, up] = this.axes;
    const level = Math.cos(this.rise);
    return along(
      along(scale(x, level * Math.cos(this.turn)), y, level * Math.sin(this.turn)),
      up,
      Math.sin(this.rise),
    );
  }

  get right() {
    return unit(cross(this.axes[2], this.back));
  }

  /** As the page opened, gone along by what was followed since. @param {Vec} gone */
  reset(gone) {
    const back = this.opening.back;
    const [x, y, up] = this.axes;
    this.turn = Math.atan2(dot(back, y), dot(back, x));
    this.rise = Math.asin(clamp(dot(back, up), -1, 1));
    this.target = add(this.opening.middle, gone);
    this.moved = false;
    this.fit();
  }

  /**
   * Opens with the first of some moments before it, as many as do not make the figure small.
   * @param {Vec3[][]} moments points in the world
   */
  watch(moments) {
    const alone = Math.max(...moments.map((points) => this.away(this.around(points).points)));
    let seen = moments[0];
    for (const points of moments) {
      const more = seen.concat(points);
      if (this.away(this.around(more).points) > WIDEST * alone) break;
      seen = more;
    }
    this.opening = { ...this.opening, ...this.around(seen) };
    this.size = Math.max(...this.opening.points.map(norm), 1e-12);
    this.reset([0, 0, 0]);
    return seen;
  }

  /** Points as seen from the middle of them. @param {Vec3[]} points */
  around(points) {
    const axes = [this.right, cross(this.back, this.right), this.back];
    /** @type {Vec3} */
    let middle = [0, 0, 0];
    for (const axis of axes) {
      let [low, high] = [Infinity, -Infinity];
      for (const p of points) {
        low = Math.min(low, dot(p, axis));
        high = Math.max(high, dot(p, axis));
      }
      middle = along(middle, axis, (low + high) / 2);
    }
    return { middle, points: points.map((p) => along(p, middle, -1)) };
  }

  /** So far away that all fits between the bars. */
  fit() {
    this.distance = Math.max(this.away(this.opening.points), 1e-9);
  }

  /** How far away points fit. @param {number[][]} points */
  away(points) {
    const [right, back] = [this.right, this.back];
    const above = cross(back, right);
    const free = 1 - this.covered.top - this.covered.bottom;
    const slope = Math.tan(this.field / 2);
    const wide = slope * this.aspect;
    const tall = slope * free;
    let away = 0;
    for (const p of points) {
      const beside = Math.max(Math.abs(dot(p, right)) / wide, Math.abs(dot(p, above)) / tall);
      away = Math.max(away, dot(p, back) + ROOM * beside);
    }
    return away;
  }

  /** The window has another shape. @param {number} aspect @param {{top: number, bottom: number}} covered */
  resize(aspect, covered) {
    this.aspect = aspect;
    this.covered = covered;
    if (!this.moved) this.fit();
  }

  /** @param {number} turn @param {number} rise [rad] */
  orbit(turn, rise) {
    this.turn -= turn;
    this.rise = clamp(this.rise + rise, -STEEPEST, STEEPEST);
    this.moved = true;
  }

  /** By parts of the window's height. @param {number} dx @param {number} dy */
  pan(dx, dy) {
    const reach = 2 * this.distance * Math.tan(this.field / 2);
    const above = cross(this.back, this.right);
    this.target = along(along(this.target, this.right, -dx * reach), above, dy * reach);
    this.moved = true;
  }

  /** @param {number} factor more than one goes away */
  zoom(factor) {
    this.distance = clamp(this.distance * factor, 0.02 * this.size, 60 * this.size);
    this.moved = true;
  }

  /** Go along with something. @param {Vec} gone */
  follow(gone) {
    this.target = add(this.target, gone);
  }

  /** Matrices as seen from the target: what is drawn is counted from there, to be exact far out. */
  matrices() {
    const [right, back] = [this.right, this.back];
    const above = cross(back, right);
    const far = this.distance + 40 * this.size;
    const near = Math.max(this.distance - 3 * this.size, 0.02 * this.distance);
    const projection = perspective(this.field, this.aspect, near, far);
    // the middle of what bars leave free, not of the window
    projection[9] = this.covered.top - this.covered.bottom;
    const eye = scale(back, this.distance);
    // a little of the figure's size, in steps of the depth buffer
    const apart = (0.0015 * this.size * near * 2 ** 24) / this.distance ** 2;
    return { projection, view: viewMatrix(right, above, back, eye), eye, back, apart };
  }
}

/**
 * Mouse, fingers and keys turn, shift and zoom a camera.
 * @param {HTMLElement} canvas @param {Camera} camera @param {() => void} changed
 */
export function steer(canvas, camera, changed) {
  /** @type {Map<number, {x: number, y: number}>} */
  const down = new Map();
  const pace = () => 1 / canvas.clientHeight;

  const spread = () => {
    const [a, b] = [...down.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, wide: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  const up = (/** @type {PointerEvent} */ event) => down.delete(event.pointerId);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointermove', (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (down.size === 1) {
      const [dx, dy] = [(now.x - before.x) * pace(), (now.y - before.y) * pace()];
      if (event.buttons & 6 || event.shiftKey) camera.pan(dx, dy);
      else camera.orbit(4 * dx, 4 * dy);
      down.set(event.pointerId, now);
    } else if (down.size === 2) {
      const was = spread();
      down.set(event.pointerId, now);
      const is = spread();
      camera.pan((is.x - was.x) * pace(), (is.y - was.y) * pace());
      camera.zoom(was.wide / Math.max(is.wide, 1));
    }
    changed();
  });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 33 : 1;
    camera.zoom(Math.exp(clamp(event.deltaY * lines, -200, 200) * 0.0015));
    changed();
  }, { passive: false });
  /** Keys move the camera, where hands move what it sees. @type {Record<string, (shift: boolean) => void>} */
  const keys = {
    ArrowLeft: (shift) => (shift ? camera.pan(0.05, 0) : camera.orbit(0.1, 0)),
    ArrowRight: (shift) => (shift ? camera.pan(-0.05, 0) : camera.orbit(-0.1, 0)),
    ArrowUp: (shift) => (shift ? camera.pan(0, 0.05) : camera.orbit(0, 0.1)),
    ArrowDown: (shift) => (shift ? camera.pan(0, -0.05) : camera.orbit(0, -0.1)),
    '+': () => camera.zoom(0.9),
    '=': () => camera.zoom(0.9),
    '-': () => camera.zoom(1 / 0.9),
  };
  canvas.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    act(event.shiftKey);
    event.preventDefault();
    event.stopPropagation();
    changed();
  });
}

/**
 * Where bodies are on average, which the camera goes along with.
 * @param {Vec} poses @param {number} count @returns {Vec3}
 */
export function middleOf(poses, count) {
  /** @type {Vec3} */
  let sum = [0, 0, 0];
  for (let i = 1; i < count; i++) sum = add(sum, [poses[7 * i], poses[7 * i + 1], poses[7 * i + 2]]);
  return count > 1 ? scale(sum, 1 / (count - 1)) : sum;
}
