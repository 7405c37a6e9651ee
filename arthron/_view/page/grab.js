import { add, along, cross, scale } from './math.js';

const NEAR = { mouse: 5, touch: 14 }; // how far beside a body it is caught, too [px]

/**
 * A finger or the mouse pulls at what it touches; elsewhere, or with shift, it moves the view. While time stands still
 * the pull is shown, and acts when it goes on.
 * @param {HTMLElement} canvas
 * @param {import('./camera.js').Camera} camera
 * @param {import('./figure.js').Figure} figure
 * @param {import('./physics.js').Physics} physics
 * @param {import('./player.js').Player} player
 * @param {() => Float64Array} shown poses that are on the screen
 * @param {() => void} changed
 */
export function grabbing(canvas, camera, figure, physics, player, shown, changed) {
  /** @type {{id: number, depth: number} | null} */
  let held = null;

  /** The ray under a place of the window, from the eye, in the world, and how near to it counts. @param {PointerEvent} event */
  const ray = (event) => {
    const box = canvas.getBoundingClientRect();
    const { eye, back, projection } = camera.matrices();
    const { right } = camera;
    const above = cross(back, right);
    const x = (2 * (event.clientX - box.left)) / box.width - 1 + projection[8];
    const y = 1 - (2 * (event.clientY - box.top)) / box.height + projection[9];
    const way = along(along(scale(back, -1), right, x / projection[0]), above, y / projection[5]);
    const pixels = event.pointerType === 'touch' ? NEAR.touch : NEAR.mouse;
    return { from: add(eye, camera.target), way, near: (2 * pixels) / (box.height * projection[5]) };
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button || event.shiftKey || held) return;
    const { from, way, near } = ray(event);
    const hit = figure.hit(shown(), from, way, near);
    if (!hit) return;
    held = { id: event.pointerId, depth: hit.depth };
    canvas.setPointerCapture(event.pointerId);
    canvas.style.cursor = 'grabbing';
    physics.branch(player.time);
    physics.hand.grab(hit.body, hit.point, along(from, way, hit.depth));
    event.stopImmediatePropagation();
    changed();
  });
  canvas.addEventListener('pointermove', (event) => {
    const { from, way, near } = ray(event);
    if (!held && !event.buttons) canvas.style.cursor = figure.hit(shown(), from, way, near) ? 'grab' : 'default';
    if (!held || event.pointerId !== held.id) return;
    physics.hand.target = along(from, way, held.depth);
    event.stopImmediatePropagation();
    changed();
  });
  for (const kind of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(kind, (event) => {
      if (!held || /** @type {PointerEvent} */ (event).pointerId !== held.id) return;
      held = null;
      canvas.style.cursor = 'grab';
      physics.hand.release();
      event.stopImmediatePropagation();
      changed();
    });
  }
}
