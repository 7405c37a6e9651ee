import { element } from './controls.js';
import { graphsOf, Plot } from './plots.js';
import { Recorder } from './recorder.js';
import { jointSliders, numberSliders, slider } from './sliders.js';

const ROOMY = 900; // width of a window that has room for the panel [px]
const LONGEST_RECORD = 600; // it ends by itself then [s]
const MANY = 9; // coordinates from which on they can be filtered

/**
 * What can be changed about a scene while it goes on, and what is seen of it besides.
 * @param {import('./physics.js').Physics} physics
 * @param {import('./player.js').Player} player
 * @param {import('./controls.js').Controls} controls
 * @param {number} size of the figure [m]
 * @param {() => void} changed
 * @returns {(now: number) => void} writes how it goes
 */
export function liveControls(physics, player, controls, size, changed) {
  const { data } = physics;
  const { body } = document;
  const say = (/** @type {string} */ text) => {
    element('said').textContent = text;
  };
  const opened = (/** @type {string} */ id) => element(id).hasAttribute('open');
  const press = (/** @type {string} */ id, /** @type {string} */ key, /** @type {() => void} */ act) => {
    element(id).addEventListener('click', act);
    controls.more[key] = act;
  };

  const open = (/** @type {boolean} */ on) => {
    body.classList.toggle('panelled', on);
    element('tune').setAttribute('aria-expanded', String(on));
    changed();
  };
  body.classList.add('live');
  press('tune', 's', () => open(!body.classList.contains('panelled')));
  const roomy = innerWidth >= ROOMY;
  open(roomy);

  const choice = /** @type {HTMLSelectElement} */ (element('integrator'));
  for (const name of data.integrators) choice.add(new Option(name));
  choice.addEventListener('change', () => {
    physics.integrator = choice.value;
    say(`Steps by ${choice.value}.`);
  });

  const pull = Float64Array.from(physics.numbers('gravity'));
  const whole = Math.hypot(...pull);
  const way = whole ? pull.map((x) => x / whole) : [0, 0, -1];
  const gravity = slider(element('forces'), 'gravity', 0, 2 * whole || 9.81);
  gravity.input.id = 'gravity';
  const weigh = () => {
    const g = Number(gravity.input.value);
    physics.numbers('gravity').set(g === whole ? pull : way.map((x) => g * x));
    gravity.show(g, `${g.toFixed(2)} m/s²`);
    changed();
  };
  gravity.input.value = String(whole);
  gravity.input.addEventListener('input', weigh);
  weigh();

  const recorder = new Recorder(physics);
  const download = /** @type {HTMLAnchorElement} */ (element('download'));
  const record = (/** @type {boolean} */ on) => {
    if (on === recorder.recording) return;
    if (on) recorder.begin();
    else {
      recorder.recording = false;
      if (download.href) URL.revokeObjectURL(download.href);
      download.href = URL.createObjectURL(new Blob(recorder.parts()));
      download.textContent = `Download ${recorder.seconds.toFixed(1)} s for Python`;
      download.title = 'ar.load_trajectory reads it';
    }
    download.hidden = on;
    element('record').setAttribute('aria-pressed', String(on));
    say(on ? 'Recording.' : `Recorded ${recorder.seconds.toFixed(1)} seconds.`);
    changed();
  };
  physics.after.push(() => recorder.take());
  press('record', 'e', () => record(!recorder.recording));

  press('again', 'a', () => {
    record(false);
    physics.reset();
    player.seek(physics.start);
    if (!data.paused) player.play();
    say('Started again.');
    changed();
  });

  /** @type {((state: import('./physics.js').State) => void) | null} */
  let held = null;
  physics.after.unshift(() => {
    if (!held) return;
    held(physics.state);
    physics.forget();
  });
  const hold = (/** @type {typeof held} */ put) => {
    held = put;
    if (!put) return;
    if (player.time < physics.end) physics.resume(player.time);
    put(physics.state);
    physics.forget();
    physics.remember();
    recorder.take();
    player.seek(physics.end);
    changed();
  };
  const shown = () => physics.frames[physics.frame(player.time)].state;
  const movable = data.coordinates;
  const posed = jointSliders(element('coordinates'), physics, size, shown, hold);
  numberSliders(element('numbers'), physics, changed);
  element('parameters').hidden = !data.sliders.length;
  element('joints').hidden = !movable.length;
  const filter = /** @type {HTMLInputElement} */ (element('filter'));
  filter.hidden = movable.length < MANY;
  filter.addEventListener('input', () => {
    [...element('coordinates').children].forEach((row, k) => {
      /** @type {HTMLElement} */ (row).hidden = !movable[k].name.toLowerCase().includes(filter.value.toLowerCase());
    });
  });

  const graphs = graphsOf(data);
  const plot = new Plot(/** @type {HTMLCanvasElement} */ (element('plot')), element('legend'));
  const plotted = /** @type {HTMLSelectElement} */ (element('plotted'));
  graphs.forEach(({ title }, k) => plotted.add(new Option(title, String(k))));
  plotted.addEventListener('change', () => {
    plot.choose(graphs[Number(plotted.value)]);
    changed();
  });
  plot.choose(graphs[0]);
  element('plots').toggleAttribute('open', roomy);
  for (const id of ['plots', 'joints', 'parameters']) element(id).addEventListener('toggle', changed);

  let [before, time, trouble] = [0, 0, false];
  return (now) => {
    const { behind } = player;
    if (now - before > 500) {
      const pace = (player.time - time) / (now - before) * 1000;
      const late = behind > 0.05 ? `, ${behind.toFixed(1)} s behind` : '';
      element('pace').textContent = player.playing && !physics.trouble ? `${Math.max(0, pace).toFixed(1)}× real time${late}` : '';
      [before, time] = [now, player.time];
    }
    if (physics.trouble && !trouble) {
      say('The next state is not finite: start again, or choose other steps.');
      open(true);
    }
    trouble = physics.trouble;
    element('record').textContent = recorder.recording ? `Stop · ${recorder.seconds.toFixed(1)} s` : 'Record';
    if (recorder.seconds > LONGEST_RECORD) record(false);
    if (!body.classList.contains('panelled')) return;
    if (opened('joints')) posed();
    if (opened('plots')) plot.draw(physics.frames, physics.frame(player.time));
  };
}
