import { coil, shaped, unpackedMesh } from './geometry.js';
import {
  across, add, columns, cross, linear, multiply, norm, placed, poseMatrix, scale, subtract, transform,
} from './math.js';
import { rodMatrix } from './renderer.js';

/** @typedef {import('./math.js').Vec} Vec */
/** @typedef {import('./math.js').Vec3} Vec3 */
/** @typedef {import('./renderer.js').Drawn} Drawn */
/** @typedef {import('./renderer.js').Renderer} Renderer */
/** @typedef {import('./renderer.js').Uploaded} Uploaded */

/**
 * What the page is told of a figure.
 * @typedef {object} FigureData
 * @property {string[]} bodies names, the world first
 * @property {{body: number, kind: string, sizes: number[], pose: number[], color: number[], opacity: number,
 *   mesh?: {low: number[], span: number[], points: string, faces: string}}[]} parts
 * @property {{kind: string, ends: [number, Vec3][], radius: number}[]} lines
 * @property {{name: string, body: number, axes: Vec3[], slides: boolean[]}[]} joints axes in the body's
 * @property {{mass: number, at: Vec3}[]} masses of each body, and where their centres are in it
 * @property {[number, Vec3][]} tips bodies and points of them that leave a trail
 */

const TURNS = 16; // of a coil
const AXIS = { turns: [222, 92, 60], slides: [52, 132, 214] };
const LINES = { spring: [86, 92, 106], cable: [72, 76, 86] };
const LINES_DARK = { spring: [168, 174, 188], cable: [158, 164, 176] };
export const GREY = [128, 128, 128];
export const TRAILS = [[63, 127, 191], [209, 120, 60], [70, 160, 110], [190, 80, 130], [140, 110, 200], [170, 150, 50]];

/** Bodies, lines and marks as things to draw, wherever bodies are. */
export class Figure {
  /** @param {FigureData} data @param {Record<string, any>} arrays by name @param {Renderer} renderer */
  constructor(data, arrays, renderer) {
    this.data = data;
    /** @type {Map<string, Uploaded>} */
    const known = new Map();
    const upload = (/** @type {string} */ key, /** @type {() => import('./geometry.js').Geometry} */ make) => {
      const mesh = known.get(key) ?? renderer.upload(make());
      known.set(key, mesh);
      return mesh;
    };
    this.parts = data.parts.map((part) => {
      const { mesh } = part;
      const uploaded = mesh
        ? upload(mesh.points, () => unpackedMesh(arrays[mesh.points], arrays[mesh.faces], mesh.low, mesh.span))
        : upload(`${part.kind} ${part.sizes}`, () => shaped(part.kind, part.sizes));
      const local = poseMatrix(part.pose, 0);
      const [middle, radius] = ballAround(part);
      return { ...part, uploaded, local, light: linear(part.color), middle: transform(local, middle), radius };
    });
    this.rod = upload('cylinder 1,1', () => shaped('cylinder', [1, 1]));
    this.ball = upload('sphere 1', () => shaped('sphere', [1]));
    this.coil = upload('coil', () => coil(TURNS));
    const moving = this.parts.filter((part) => part.body);
    this.casting = moving.length ? moving : this.parts;
  }

  /** @param {Float64Array} poses @param {Vec3} origin */
  matrices(poses, origin) {
    return this.data.bodies.map((_, i) => poseMatrix(poses, i, origin));
  }

  /** Bodies. @param {Float32Array[]} matrices @param {number} opacity @returns {Drawn[]} */
  solids(matrices, opacity = 1) {
    return this.parts
      .filter((part) => opacity === 1 || part.body)
      .map((part) => ({
        mesh: part.uploaded,
        matrix: multiply(matrices[part.body], part.local),
        color: part.light,
        opacity: part.opacity * opacity,
        sunk: part.body % 2 === 1,
      }));
  }

  /** Springs and cables. @param {Float32Array[]} matrices @param {boolean} dark @returns {Drawn[]} */
  lines(matrices, dark) {
    const drawn = [];
    for (const { kind, ends, radius } of this.data.lines) {
      const [a, b] = ends.map(([body, point]) => transform(matrices[body], point));
      const color = linear((dark ? LINES_DARK : LINES)[kind === 'spring' ? 'spring' : 'cable']);
      if (kind === 'spring') {
        const way = subtract(b, a);
        const length = norm(way);
        const z = scale(way, 1 / (length || 1));
        const x = across(z);
        drawn.push({
          mesh: this.coil,
          matrix: columns(x, cross(z, x), z, a),
          color,
          opacity: 1,
          coil: [5 * radius, 1.1 * radius, TURNS, length],
        });
      } else {
        drawn.push({ mesh: this.rod, matrix: rodMatrix(a, b, radius), color, opacity: 1 });
      }
    }
    return drawn;
  }

  /**
   * Axes about which joints turn, or along which they slide.
   * @param {Float32Array[]} matrices @param {number} size half of their length @returns {Drawn[]}
   */
  axes(matrices, size) {
    /** @type {Drawn[]} */
    const drawn = [];
    for (const { body, axes, slides } of this.data.joints) {
      axes.forEach((axis, k) => {
        const half = scale(axis, size);
        const [a, b] = [transform(matrices[body], scale(half, -1)), transform(matrices[body], half)];
        const color = linear(slides[k] ? AXIS.slides : AXIS.turns);
        drawn.push({ mesh: this.rod, matrix: rodMatrix(a, b, 0.04 * size), color, opacity: 0.9, paint: 1 });
        drawn.push({ mesh: this.ball, matrix: ballMatrix(b, 0.13 * size), color, opacity: 0.9, paint: 1 });
      });
    }
    return drawn;
  }

  /** Where the centre of mass is in the world, or nothing. @param {Float64Array} poses @returns {Vec3 | null} */
  centre(poses) {
    let mass = 0;
    /** @type {Vec3} */
    let sum = [0, 0, 0];
    this.data.masses.forEach((one, i) => {
      mass += one.mass;
      sum = add(sum, scale(placed(poses, i, one.at), one.mass));
    });
    return mass > 0 ? scale(sum, 1 / mass) : null;
  }

  /** @param {Vec3} at @param {Vec3} origin @param {number} size @returns {Drawn} */
  centreMark(at, origin, size) {
    const matrix = ballMatrix(subtract(at, origin), size);
    return { mesh: this.ball, matrix, color: [1, 1, 1], opacity: 0.95, paint: 2 };
  }

  /**
   * The first part that a ray meets: its body, the point in that body's axes, and how far along the ray.
   * Parts are taken for the boxes around them.
   * @param {Float64Array} poses @param {Vec3} from @param {Vec3} way
   */
  hit(poses, from, way) {
    /** @type {{body: number, point: Vec3, depth: number} | null} */
    let first = null;
    const matrices = this.data.bodies.map((_, i) => poseMatrix(poses, i, [0, 0, 0]));
    for (const part of this.parts) {
      const matrix = multiply(matrices[part.body], part.local);
      const depth = intoBox(matrix, box(part), from, way);
      if (depth === null || (first && first.depth <= depth)) continue;
      const at = add(from, scale(way, depth));
      first = { body: part.body, point: inverse(matrices[part.body], at), depth };
    }
    return first;
  }

  /** A ball around what throws shadows. @param {Float32Array[]} matrices @returns {{at: Vec3, radius: number}} */
  bounds(matrices) {
    let [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const part of this.casting) {
      const p = transform(matrices[part.body], part.middle);
      low = low.map((x, k) => Math.min(x, p[k] - part.radius));
      high = high.map((x, k) => Math.max(x, p[k] + part.radius));
    }
    for (const { ends } of this.data.lines) {
      for (const [body, point] of ends) {
        const p = transform(matrices[body], point);
        low = low.map((x, k) => Math.min(x, p[k]));
        high = high.map((x, k) => Math.max(x, p[k]));
      }
    }
    return { at: scale(add(low, high), 0.5), radius: 0.5 * norm(subtract(high, low)) };
  }
}

/** Corners of the box around a part, in its own axes. @param {FigureData['parts'][0]} part @returns {[number[], number[]]} */
function box({ kind, sizes, mesh }) {
  if (mesh) return [mesh.low, mesh.low.map((x, k) => x + mesh.span[k])];
  const half = {
    sphere: () => [sizes[0], sizes[0], sizes[0]],
    capsule: () => [sizes[0], sizes[0], sizes[0] + sizes[1] / 2],
    cylinder: () => [sizes[0], sizes[0], sizes[1] / 2],
    ellipsoid: () => sizes,
    box: () => sizes.map((x) => x / 2),
  }[kind];
  const high = half ? half() : [0, 0, 0];
  return [high.map((x) => -x), high];
}

/** A point of the world in the axes of a pose. @param {Float32Array} M @param {Vec3} p @returns {Vec3} */
function inverse(M, p) {
  const d = [p[0] - M[12], p[1] - M[13], p[2] - M[14]];
  return /** @type {Vec3} */ ([0, 4, 8].map((c) => M[c] * d[0] + M[c + 1] * d[1] + M[c + 2] * d[2]));
}

/** How far along a ray a box begins, or nothing. @param {Float32Array} M @param {[number[], number[]]} corners @param {Vec3} from @param {Vec3} way */
function intoBox(M, [low, high], from, way) {
  const start = inverse(M, from);
  const end = inverse(M, add(from, way));
  let [near, far] = [0, Infinity];
  for (let k = 0; k < 3; k++) {
    const slope = end[k] - start[k];
    const [a, b] = [(low[k] - start[k]) / slope, (high[k] - start[k]) / slope];
    if (slope === 0) {
      if (start[k] < low[k] || start[k] > high[k]) return null;
      continue;
    }
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far ? near : null;
}

/** A unit ball, moved and grown. @param {Vec3} at @param {number} r */
const ballMatrix = (at, r) => columns([r, 0, 0], [0, r, 0], [0, 0, r], at);

/**
 * Middle and radius of a ball around a part, in its own axes.
 * @param {FigureData['parts'][0]} part @returns {[Vec3, number]}
 */
function ballAround({ kind, sizes, mesh }) {
  if (mesh) return [/** @type {Vec3} */ (mesh.low.map((x, k) => x + mesh.span[k] / 2)), 0.5 * norm(mesh.span)];
  const radius = {
    sphere: () => sizes[0],
    capsule: () => sizes[0] + sizes[1] / 2,
    cylinder: () => Math.hypot(sizes[0], sizes[1] / 2),
    ellipsoid: () => Math.max(...sizes),
    box: () => 0.5 * norm(sizes),
  }[kind];
  return [[0, 0, 0], radius ? radius() : 0];
}
