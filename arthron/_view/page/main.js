import { Camera, middleOf, steer } from './camera.js';
import { Controls, element } from './controls.js';
import { Figure, GREY, TRAILS } from './figure.js';
import { along, dot, placed, scale, subtract, unit } from './math.js';
import { firstMoments, storey } from './opening.js';
import { Player } from './player.js';
import { Renderer } from './renderer.js';
import { grabbing } from './grab.js';
import { liveControls } from './live.js';
import { Physics } from './physics.js';
import { Film } from './source.js';
import { unpacked } from './unpacked.js';

/** @typedef {import('./math.js').Vec3} Vec3 */

/** @type {Record<string, import('./renderer.js').Theme>} */
const THEMES = {
  light: {
    top: [240, 243, 247], bottom: [255, 255, 255], cell: [186, 191, 202, 0.55], section: [150, 156, 170, 0.75],
    shade: 0.28, sky: 0.55, earth: 0.26, key: 0.8,
  },
  dark: {
    top: [17, 19, 24], bottom: [30, 33, 40], cell: [92, 98, 112, 0.5], section: [112, 119, 136, 0.7],
    shade: 0.55, sky: 0.42, earth: 0.18, key: 0.74,
  },
};
const GHOSTS = 6;
const MOST_GHOSTS = 2400; // parts of ghosts, for figures of very many
const TRAIL = 240; // points of a trail
const MOST_TRAILS = 20000; // poses looked up for them, for the same reason
const LASTING = 2.5; // of a trail [s]

/** Everything that the page does. */
async function main() {
  const { data, arrays } = await unpacked((element('data').textContent ?? '').trim());
  const canvas = /** @type {HTMLCanvasElement} */ (element('canvas'));
  const renderer = new Renderer(canvas);
  const figure = new Figure(data, arrays, renderer);
  const physics = data.physics ? await Physics.of(data.physics, arrays, data.bodies.length) : null;
  const source = physics ?? new Film(arrays.times, arrays.focus, arrays.positions, arrays.turns, arrays.energy, arrays.wrenches, data.pushed, arrays.stretch, data.stretched);
  const camera = new Camera(data.camera, data.axes);
  const player = new Player(source);
  const poses = source.poses(source.start, new Float64Array(7 * source.count));
  const opened = middleOf(poses, source.count);
  let followed = opened;
  const right = camera.right;
  const sun = unit(along(along(camera.axes[2], right, -0.6), camera.back, 0.62));
  const elsewhere = new Float64Array(poses.length);

  let asked = false;
  const changed = () => {
    if (!asked) requestAnimationFrame(frame);
    asked = true;
  };
  const controls = new Controls(player, changed, () =>
    camera.reset(controls.shown.follow ? subtract(followed, opened) : [0, 0, 0]));
  /** @type {HTMLInputElement} */ (element('follow')).checked = controls.shown.follow = data.follows;
  element('arrowed').hidden = !source.wrenches(source.start).length;
  const paced = physics && liveControls(physics, player, controls, camera.size, changed);
  if (physics) grabbing(canvas, camera, figure, physics, player, () => poses, changed);
  steer(canvas, camera, changed);

  const fit = () => {
    renderer.resize();
    const high = canvas.clientHeight || 1;
    const bar = element('bar').getBoundingClientRect();
    const top = element('about').getBoundingClientRect();
    const narrow = canvas.clientWidth < 640;
    camera.resize(canvas.clientWidth / high, {
      top: narrow ? Math.min(0.2, top.bottom / high) : 0.03,
      bottom: player.moves ? Math.min(0.3, (high - bar.top) / high) : 0.03,
    });
    changed();
  };

  /** Points that bodies and the centre of mass went through, from the camera's target. @param {Vec3} origin */
  const trails = (origin) => {
    const from = Math.max(source.start, player.time - LASTING);
    const count = player.time > from ? Math.max(2, Math.min(TRAIL, Math.floor(MOST_TRAILS / source.count))) : 1;
    const points = [...data.tips, ...(controls.shown.centre ? [null] : [])];
    const ways = points.map(() => new Float32Array(4 * count));
    for (let k = 0; k < count; k++) {
      const s = count > 1 ? k / (count - 1) : 1;
      source.poses(from + s * (player.time - from), elsewhere);
      points.forEach((tip, j) => {
        const at = tip ? placed(elsewhere, tip[0], tip[1]) : figure.centre(elsewhere) ?? origin;
        ways[j].set([...subtract(at, origin), 0.85 * s], 4 * k);
      });
    }
    const color = (/** @type {number} */ j) => scale(points[j] ? TRAILS[j % TRAILS.length] : GREY, 1 / 255);
    return ways.map((places, j) => ({ places, color: color(j) }));
  };

  /** Faint copies at times all over the film. @param {Vec3} origin */
  const ghosts = (origin) => {
    const count = Math.min(GHOSTS, Math.floor(MOST_GHOSTS / Math.max(1, figure.parts.length)));
    const found = [];
    for (let k = 0; k <= count; k++) {
      const t = source.start + (k / count) * (source.end - source.start);
      if (Math.abs(t - player.time) < 1e-9) continue;
      source.poses(t, elsewhere);
      found.push(...figure.solids(figure.matrices(elsewhere, origin, source.stretches(t)), 0.16));
    }
    return found;
  };

  /** @param {number} now */
  function frame(now) {
    asked = false;
    player.tick(now);
    source.poses(player.time, poses);
    const middle = middleOf(poses, source.count);
    if (controls.shown.follow) camera.follow(subtract(middle, followed));
    followed = middle;
    const origin = camera.target;
    const matrices = figure.matrices(poses, origin, source.stretches(player.time));
    const { shown } = controls;
    const hand = physics?.hand;
    const centre = shown.centre && figure.centre(poses);
    const size = camera.size;
    const above = dot(middle, camera.axes[2]) - data.ground;
    const deep = shown.follow ? storey(-above, size) : 0;
    renderer.draw({
      camera: camera.matrices(),
      origin,
      solids: [...figure.solids(matrices), ...figure.lines(matrices, controls.dark)],
      ghosts: shown.ghosts && player.moves ? ghosts(origin) : [],
      overlays: [
        ...(shown.axes ? figure.axes(matrices, data.mark) : []),
        ...(shown.arrows ? figure.forces(source.wrenches(player.time), matrices, 0.6 * size, 0.07 * data.mark) : []),
        ...(hand?.body ? figure.arrow(
          subtract(placed(poses, hand.body, hand.point), origin), subtract(hand.target, origin), 0.07 * data.mark, 'hand',
        ) : []),
        ...(centre ? [figure.centreMark(centre, origin, 0.35 * data.mark)] : []),
      ],
      ribbons: shown.trails ? trails(origin) : [],
      casting: figure.bounds(matrices),
      ground: shown.ground ? {
        height: data.ground - deep, square: data.square, reach: 14 * size + camera.distance + (deep && 3 * (above + deep)),
      } : null,
      axes: data.axes,
      sun,
      theme: THEMES[controls.dark ? 'dark' : 'light'],
    });
    controls.update(source.energy(player.time));
    if (paced) paced(now);
    if (player.playing) changed();
  }

  /** Have before the camera what a scene does at first. @param {Physics} scene */
  const open = (scene) => {
    const follow = !data.held;
    const seen = camera.watch(firstMoments(scene, arrays.extents, follow));
    if (!follow && !data.stands) data.ground = Math.min(data.ground, ...seen.map((p) => dot(p, camera.axes[2])));
    /** @type {HTMLInputElement} */ (element('follow')).checked = controls.shown.follow = follow;
  };

  new ResizeObserver(fit).observe(canvas);
  canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
  canvas.addEventListener('webglcontextrestored', () => location.reload());
  fit();
  if (physics) open(physics);
  if (!physics?.data.paused && !window.matchMedia('(prefers-reduced-motion: reduce)').matches) player.play();
  document.body.classList.add('ready');
}

main().catch((error) => {
  element('trouble').textContent = `This page cannot be shown: ${error.message}.`;
  element('trouble').hidden = false;
});
