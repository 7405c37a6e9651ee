import { add, along, cross, scale } from './math.js';

/**
 * A finger or the mouse pulls at what it touches; elsewhere it turns the view.
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

  /** The ray under a place of the window, from the eye, in the world. @param {PointerEvent} event */
  const ray = (event) => {
    const box = canvas.getBoundingClientRect();
    const { eye, back, projection } = camera.matrices();
    const { right } = camera;
    const above = cross(back, right);
    const x = (2 * (event.clientX - box.left)) / box.width - 1 + projection[8];
    const y = 1 - (2 * (event.clientY - box.top)) / box.height + projection[9];
    const way = along(along(scale(back, -1), right, x / projection[0]), above, y / projection[5]);
    return { from: add(eye, camera.target), way };
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button || held) return;
    const { from, way } = ray(event);
    const hit = figure.hit(shown(), from, way);
    if (!hit || !hit.body) return;
    held = { id: event.pointerId, depth: hit.depth };
    canvas.setPointerCapture(event.pointerId);
    if (player.time < physics.end) physics.resume(player.time);
    physics.hand.grab(hit.body, hit.point, along(from, way, hit.depth));
    event.stopImmediatePropagation();
    changed();
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!held || event.pointerId !== held.id) return;
    const { from, way } = ray(event);
    physics.hand.target = along(from, way, held.depth);
    event.stopImmediatePropagation();
    changed();
  });
  for (const kind of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(kind, (event) => {
      if (!held || /** @type {PointerEvent} */ (event).pointerId !== held.id) return;
      held = null;
      physics.hand.release();
      event.stopImmediatePropagation();
    });
  }
}
