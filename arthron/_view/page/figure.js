import { coil, intoFaces, shaped, swept, unpackedMesh } from './geometry.js';
import {
  across, add, along, columns, cross, linear, multiply, norm, placed, poseMatrix, scale, subtract, transform, unit,
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
 * @property {{name: string, body: number, axes: Vec3[], on: (number | null)[], slides: boolean[]}[]} joints axes in those of
 *   a body each, or across the others
 * @property {{mass: number, at: Vec3}[]} masses of each body, and where their centres are in it
 * @property {[number, Vec3][]} tips bodies and points of them that leave a trail
 */

const TURNS = 16; // of a coil
const AXIS = { turns: [222, 92, 60], slides: [52, 132, 214] };
const ARROW = { force: [32, 150, 96], hand: [236, 150, 24] };
const LIGHTEST = 0.01; // force that is drawn beside the figure's weight
const LINES = { spring: [86, 92, 106], cable: [72, 76, 86] };
const LINES_DARK = { spring: [168, 174, 188], cable: [158, 164, 176] };
export const GREY = [128, 128, 128];
export const TRAILS = [[63, 127, 191], [209, 120, 60], [70, 160, 110], [190, 80, 130], [140, 110, 200], [170, 150, 50]];

/** Bodies, lines and marks as things to draw, wherever bodies are. */
export class Figure {
  /** @param {FigureData} data @param {Record<string, any>} arrays by name @param {Renderer} renderer */
  constructor(data, arrays, renderer) {
    this.data = data;
    /** @typedef {import('./geometry.js').Geometry} Geometry */
    /** @type {Map<string, Uploaded & {geometry: Geometry}>} */
    const known = new Map();
    const upload = (/** @type {string} */ key, /** @type {() => Geometry} */ make) => {
      const geometry = known.get(key)?.geometry ?? make();
      const mesh = known.get(key) ?? { ...renderer.upload(geometry), geometry };
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
    this.tip = upload('tip', () => swept([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 1, 0.3], [0, 1, 1, 0.3]]));
    this.mass = data.masses.reduce((sum, one) => sum + one.mass, 0);
    const moving = this.parts.filter((part) => part.body);
    this.casting = moving.length ? moving : this.parts;
  }

  /** @param {Float64Array} poses @param {Vec3} origin @param {Float32Array[]} stretches of some bodies, by number */
  matrices(poses, origin, stretches = []) {
    return this.data.bodies.map((_, i) => {
      const matrix = poseMatrix(poses, i, origin);
      return stretches[i] ? multiply(matrix, stretches[i]) : matrix;
    });
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
    for (const { body, axes, on, slides } of this.data.joints) {
      const at = transform(matrices[body], [0, 0, 0]);
      const ways = axes.map((axis, k) => turned(matrices[on[k] ?? 0], axis));
      ways.forEach((way, k) => {
        const half = scale(on[k] === null ? unit(cross(ways[2], ways[0])) : way, size);
        const [a, b] = [subtract(at, half), add(at, half)];
        const color = linear(slides[k] ? AXIS.slides : AXIS.turns);
        drawn.push({ mesh: this.rod, matrix: rodMatrix(a, b, 0.04 * size), color, opacity: 0.9, paint: 1 });
        drawn.push({ mesh: this.ball, matrix: ballMatrix(b, 0.13 * size), color, opacity: 0.9, paint: 1 });
      });
    }
    return drawn;
  }

  /** @param {Vec3} from @param {Vec3} to @param {number} radius @param {'force' | 'hand'} kind @returns {Drawn[]} */
  arrow(from, to, radius, kind) {
    const way = subtract(to, from);
    const z = unit(way);
    const x = across(z);
    const long = Math.min(10 * radius, norm(way));
    const neck = along(to, z, -long);
    const look = { color: linear(ARROW[kind]), opacity: 0.92, paint: 1 };
    const wide = 0.32 * long;
    return [
      { mesh: this.rod, matrix: rodMatrix(from, neck, radius), ...look },
      { mesh: this.tip, matrix: columns(scale(x, wide), scale(cross(z, x), wide), scale(z, long), neck), ...look },
    ];
  }

  /**
   * Forces on bodies, each on its line of action, where that is nearest to the centre of mass.
   * @param {ArrayLike<number>} wrenches @param {Float32Array[]} matrices @param {number} size of the weight, and the most
   * @param {number} radius @returns {Drawn[]}
   */
  forces(wrenches, matrices, size, radius) {
    const weight = 9.81 * this.mass;
    return this.data.masses.flatMap(({ at }, i) => {
      const [x, y, z, ...force] = Array.from({ length: 6 }, (_, k) => wrenches[6 * (i - 1) + k] ?? 0);
      const strong = norm(force);
      if (!(strong > LIGHTEST * weight)) return [];
      const off = scale(cross(force, subtract([x, y, z], cross(at, force))), strong ** -2);
      const foot = along(at, off, Math.min(1, size / norm(off)));
      const head = along(foot, force, (size * Math.min(1, strong / weight)) / strong);
      return this.arrow(transform(matrices[i], foot), transform(matrices[i], head), radius, 'force');
    });
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
   * The first part that a ray meets, or else comes near, if it can move: its body, the point in that body's axes, and
   * how far along the ray.
   * @param {Float64Array} poses @param {Vec3} from @param {Vec3} way @param {number} near how near, beside the distance
   */
  hit(poses, from, way, near) {
    const matrices = this.matrices(poses, from);
    const first = (/** @type {number} */ slope) => {
      let [depth, body] = [Infinity, 0];
      for (const part of this.parts) {
        const middle = transform(matrices[part.body], part.middle);
        const grown = slope * norm(middle);
        if (norm(cross(middle, way)) > (part.radius + grown) * norm(way)) continue;
        const place = multiply(matrices[part.body], part.local);
        const eye = inverse(place, [0, 0, 0]);
        const there = intoFaces(part.uploaded.geometry, grown, eye, subtract(inverse(place, way), eye));
        if (there < depth) [depth, body] = [there, part.body];
      }
      return { body, depth, point: inverse(matrices[body], scale(way, depth)) };
    };
    const met = first(0);
    const found = met.body ? met : first(near);
    return found.body ? found : null;
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

/** A point of the world in the axes of a pose. @param {Float32Array} M @param {Vec3} p @returns {Vec3} */
function inverse(M, p) {
  const d = [p[0] - M[12], p[1] - M[13], p[2] - M[14]];
  return /** @type {Vec3} */ ([0, 4, 8].map((c) => M[c] * d[0] + M[c + 1] * d[1] + M[c + 2] * d[2]));
}

/** A direction of a body in the world. @param {Float32Array} M @param {Vec3} v @returns {Vec3} */
const turned = (M, v) => subtract(transform(M, v), transform(M, [0, 0, 0]));

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
