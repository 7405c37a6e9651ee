import { element } from './controls.js';

/**
 * What can be changed about a scene while it goes on.
 * @param {import('./physics.js').Physics} physics
 * @param {import('./player.js').Player} player
 * @param {() => void} changed
 * @returns {() => void} writes how it keeps up with the clock
 */
export function liveControls(physics, player, changed) {
  element('live').hidden = false;
  const choice = /** @type {HTMLSelectElement} */ (element('integrator'));
  for (const name of physics.data.integrators) choice.add(new Option(name));
  choice.addEventListener('change', () => {
    physics.integrator = choice.value;
  });
  const gravity = /** @type {HTMLInputElement} */ (element('gravity'));
  const whole = Float64Array.from(physics.numbers('gravity'));
  const weigh = () => {
    const part = Number(gravity.value);
    physics.numbers('gravity').set(whole.map((x) => part * x));
    element('weight').textContent = `${(part * Math.hypot(...whole)).toFixed(1)} m/s²`;
    changed();
  };
  gravity.addEventListener('input', weigh);
  weigh();
  element('again').addEventListener('click', () => {
    physics.reset();
    player.seek(physics.start);
    player.play();
    changed();
  });
  return () => {
    const { behind } = player;
    element('pace').textContent = physics.trouble
      ? 'The next state is not finite: start again, or choose other steps.'
      : behind > 0.05 ? `${behind.toFixed(1)} s behind the clock` : '';
  };
}
