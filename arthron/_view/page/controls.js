/** @typedef {import('./player.js').Player} Player */

/** What can be shown or not, by the names of their boxes. */
export const SHOWN = ['follow', 'axes', 'arrows', 'centre', 'trails', 'ghosts', 'ground'];

/** @param {string} id @returns {HTMLElement} */
export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

/** A number in a few digits. @param {number} x @param {number} most the largest there was of its kind */
function short(x, most) {
  const size = Math.abs(x);
  const small = most > 0 && most < 1 ? Math.min(9, 1 + Math.ceil(-Math.log10(most))) : 1;
  return (size >= 1e5 ? x.toExponential(3) : x.toFixed(size >= 1000 ? 0 : small)).replace('-', '\u2212');
}

/** Buttons, sliders and words around the picture. */
export class Controls {
  /**
   * @param {Player} player
   * @param {() => void} changed what to do when the picture may be another
   * @param {() => void} reset what to do when the first view is wanted
   */
  constructor(player, changed, reset) {
    this.player = player;
    this.changed = changed;
    this.scrub = /** @type {HTMLInputElement} */ (element('scrub'));
    this.digits = Math.min(3, Math.max(2, Math.ceil(1 - Math.log10(player.source.end - player.source.start || 1))));
    this.scrub.min = String(player.source.start);
    this.scrub.max = String(player.source.end);
    this.scrub.step = 'any';
    /** The largest energy that was shown [J]. */
    this.most = 0;
    /** @type {Record<string, boolean>} */
    this.shown = {};
    /** @type {Record<string, () => void>} what other keys do */
    this.more = {};
    for (const name of SHOWN) {
      const box = /** @type {HTMLInputElement} */ (element(name));
      this.shown[name] = box.checked;
      box.addEventListener('change', () => this.show(name, box.checked));
    }
    const press = (/** @type {string} */ id, /** @type {() => void} */ act) =>
      element(id).addEventListener('click', () => {
        act();
        changed();
      });
    press('play', () => player.toggle());
    press('back', () => player.step(-1));
    press('forth', () => player.step(1));
    press('reset', reset);
    press('theme', () => this.setDark(!this.dark));
    press('loop', () => this.setLoop(!player.loop));
    this.scrub.addEventListener('input', () => {
      player.pause();
      player.seek(Number(this.scrub.value));
      changed();
    });
    const speed = /** @type {HTMLSelectElement} */ (element('speed'));
    speed.addEventListener('change', () => {
      player.speed = Number(speed.value);
    });
    /** Whether keys led to what has the focus, so that space is meant for it. */
    this.tabbed = false;
    document.addEventListener('focusin', ({ target }) => {
      this.tabbed = /** @type {Element} */ (target).matches(':focus-visible');
    });
    document.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('keyup', (event) => {
      if (event.key === ' ' && this.plays(event)) event.preventDefault(); // for some browsers press buttons then
    });
    const wanted = window.matchMedia('(prefers-color-scheme: dark)');
    this.dark = wanted.matches;
    wanted.addEventListener('change', () => this.setDark(wanted.matches));
    this.setDark(this.dark);
    this.setLoop(player.loop);
    document.body.classList.toggle('still', !player.moves);
  }

  /** @param {string} name @param {boolean} on */
  show(name, on) {
    this.shown[name] = on;
    /** @type {HTMLInputElement} */ (element(name)).checked = on;
    this.changed();
  }

  /** @param {boolean} dark */
  setDark(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    element('theme').setAttribute('aria-pressed', String(dark));
    this.changed();
  }

  /** @param {boolean} loop */
  setLoop(loop) {
    this.player.loop = loop;
    element('loop').setAttribute('aria-pressed', String(loop));
  }

  /** Whether space plays and pauses. @param {KeyboardEvent} event */
  plays({ target: at }) {
    const it = /** @type {HTMLInputElement} */ (at);
    return !this.tabbed || it.type === 'range' || !['BUTTON', 'INPUT', 'SUMMARY'].includes(it.tagName);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = /** @type {HTMLElement} */ (event.target);
    const writes = at instanceof HTMLSelectElement || (at instanceof HTMLInputElement && at.type === 'search');
    if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
    const own = at instanceof HTMLInputElement && at.type === 'range';
    /** @type {Record<string, () => void>} */
    const keys = {
      ',': () => this.player.step(-1),
      '.': () => this.player.step(1),
      l: () => this.setLoop(!this.player.loop),
      d: () => this.setDark(!this.dark),
      f: () => this.show('follow', !this.shown.follow),
      j: () => this.show('axes', !this.shown.axes),
      v: () => this.show('arrows', !this.shown.arrows),
      c: () => this.show('centre', !this.shown.centre),
      t: () => this.show('trails', !this.shown.trails),
      g: () => this.show('ghosts', !this.shown.ghosts),
      r: () => element('reset').click(),
      Escape: () => element('view').removeAttribute('open'),
      ...this.more,
    };
    if (this.plays(event)) keys[' '] = () => this.player.toggle();
    if (!own || at === this.scrub) {
      keys.Home = () => this.player.seek(this.player.source.start);
      keys.End = () => this.player.seek(this.player.source.end);
    }
    if (!own) {
      keys.ArrowLeft = () => this.player.step(-1);
      keys.ArrowRight = () => this.player.step(1);
    }
    const act = keys[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    if (!act) return;
    act();
    event.preventDefault();
    this.changed();
  }

  /** Write the time and the energy. @param {number[] | null} energy */
  update(energy) {
    const { player } = this;
    const { start, end } = player.source;
    this.scrub.min = String(start);
    this.scrub.max = String(end);
    const time = player.source.moment(player.time).toFixed(this.digits);
    const part = end > start ? (player.time - start) / (end - start) : 0;
    if (document.activeElement !== this.scrub || player.playing) this.scrub.value = String(player.time);
    this.scrub.style.setProperty('--done', `${100 * part}%`);
    this.scrub.setAttribute('aria-valuetext', `${time} seconds`);
    element('time').textContent = `${time} / ${end.toFixed(this.digits)} s`;
    const play = element('play');
    play.setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    play.classList.toggle('playing', player.playing);
    element('energy').hidden = !energy;
    if (energy) {
      this.most = Math.max(this.most, ...energy.map(Math.abs));
      element('kinetic').textContent = `${short(energy[0], this.most)} J`;
      element('potential').textContent = `${short(energy[1], this.most)} J`;
      element('total').textContent = `${short(energy[0] + energy[1], this.most)} J`;
    }
  }
}
