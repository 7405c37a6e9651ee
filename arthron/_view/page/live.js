import { element } from './controls.js';
import { graphsOf, Plot } from './plots.js';
import { Recorder } from './recorder.js';
import { gravitySlider, jointSliders, numberSliders } from './sliders.js';

const ROOMY = 900; // width of a window that has room for the panel [px]
const LONGEST_RECORD = 600; // it ends by itself then [s]
const MANY = 9; // coordinates from which on they can be filtered

/** What is said where it blew up. @param {import('./physics.js').Physics} physics */
export function blownUp({ time, integrator, data }) {
  const [way] = data.integrators.filter((name) => name === 'implicit Euler' && name !== integrator);
  return `The simulation blew up at t = ${time.toFixed(2)} s: forces are too stiff for steps of ${Number((1000 * data.step).toPrecision(3))} ms. `
    + `${way ? `Choose ${way}, or give` : 'Give'} a smaller step= in Python.`;
}

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
  const { classList } = document.body;
  /** @param {string} text */
  const say = (text) => {
    element('said').textContent = text;
  };
  /** @param {string} id @param {string} key @param {() => void} act */
  const press = (id, key, act) => {
    element(id).addEventListener('click', act);
    controls.more[key] = act;
  };
  /** @param {string} id @param {string[]} names @param {(k: number) => void} act */
  const choice = (id, names, act) => {
    const list = /** @type {HTMLSelectElement} */ (element(id));
    for (const name of names) list.add(new Option(name));
    list.addEventListener('change', () => act(list.selectedIndex));
  };

  /** @param {boolean} on */
  const open = (on) => {
    classList.toggle('panelled', on);
    element('tune').setAttribute('aria-expanded', String(on));
    changed();
  };
  const roomy = innerWidth >= ROOMY;
  classList.add('live');
  open(roomy);
  press('tune', 's', () => open(!classList.contains('panelled')));

  const recorder = new Recorder(physics);
  /** From what is shown on. @param {() => void} act */
  const alter = (act) => {
    const stopped = physics.trouble;
    physics.branch(player.time);
    act();
    recorder.take();
    physics.remember();
    player.seek(player.time);
    if (stopped) player.play();
    changed();
  };
  choice('integrator', data.integrators, (k) => {
    alter(() => {
      physics.integrator = data.integrators[k];
    });
    say(`Integrator: ${physics.integrator}.`);
  });
  gravitySlider(element('settings'), physics, alter);

  const download = /** @type {HTMLAnchorElement} */ (element('download'));
  /** @param {boolean} on */
  const record = (on) => {
    if (on === recorder.recording) return;
    if (on) alter(() => recorder.begin());
    else recorder.end();
    const long = recorder.seconds.toFixed(1);
    if (!on) {
      URL.revokeObjectURL(download.href);
      download.href = URL.createObjectURL(new Blob(recorder.parts()));
      download.textContent = `Download ${long} s for Python`;
    }
    download.hidden = on;
    element('record').setAttribute('aria-pressed', String(on));
    say(on ? 'Recording.' : `Recorded ${long} seconds.`);
    changed();
  };
  press('record', 'e', () => record(!recorder.recording));
  press('again', 'a', () => {
    record(false);
    physics.reset();
    player.seek(physics.start);
    if (!data.paused) player.play();
    say('Started again.');
    changed();
  });

  /** @type {((state: import('./physics.js').State) => void) | null} what keeps a joint where it is held */
  let held = null;
  const keep = () => {
    if (held) held(physics.state);
    if (held) physics.forget();
    recorder.take();
  };
  physics.after.push(keep);
  /** @param {typeof held} put */
  const hold = (put) => {
    held = put;
    if (!held) return;
    physics.branch(player.time);
    keep();
    physics.remember();
    player.seek(physics.end);
    changed();
  };
  const shown = () => physics.at(player.time).state;
  const posed = jointSliders(element('coordinates'), physics, size, shown, hold);
  numberSliders(element('numbers'), physics, alter);
  element('parameters').hidden = !data.sliders.length;
  element('joints').hidden = !data.coordinates.length;
  const filter = /** @type {HTMLInputElement} */ (element('filter'));
  filter.hidden = data.coordinates.length < MANY;
  filter.addEventListener('input', () => {
    const rows = /** @type {HTMLElement[]} */ ([...element('coordinates').children]);
    for (const row of rows) row.hidden = !row.textContent?.toLowerCase().includes(filter.value.toLowerCase());
  });

  const graphs = graphsOf(data);
  const plot = new Plot(/** @type {HTMLCanvasElement} */ (element('plot')), element('legend'), graphs[0]);
  choice('plotted', graphs.map(({ title }) => title), (k) => {
    plot.choose(graphs[k]);
    changed();
  });
  element('plots').toggleAttribute('open', roomy);
  for (const id of ['plots', 'joints', 'parameters']) element(id).addEventListener('toggle', changed);

  let [before, time, trouble] = [0, 0, ''];
  return (now) => {
    if (now - before > 500) {
      const pace = Math.max(0, (1000 * (player.time - time)) / (now - before));
      const late = player.behind > 0.05 ? `, ${player.behind.toFixed(1)} s behind` : '';
      element('pace').textContent = `${pace.toFixed(1)}× real time${late}`;
      [before, time] = [now, player.time];
    }
    if (physics.trouble && player.playing) {
      player.pause();
      changed();
    }
    if (physics.trouble && !trouble) {
      say((trouble = blownUp(physics)));
      open(true);
    }
    if (trouble && !physics.trouble) {
      if (element('said').textContent === trouble) say('');
      trouble = '';
    }
    if (!player.playing) element('pace').textContent = '';
    element('record').textContent = recorder.recording ? `Stop · ${recorder.seconds.toFixed(1)} s` : 'Record';
    if (recorder.seconds > LONGEST_RECORD) record(false);
    if (!classList.contains('panelled')) return;
    if (element('joints').hasAttribute('open')) posed();
    if (element('plots').hasAttribute('open')) plot.draw(physics.frames, physics.frame(player.time));
  };
}
