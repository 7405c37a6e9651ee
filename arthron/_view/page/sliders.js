import { worded } from './coordinates.js';

/**
 * A row with a name, a slider and a number.
 * @param {HTMLElement} list @param {string} name @param {number} low @param {number} high
 */
export function slider(list, name, low, high) {
  const row = document.createElement('label');
  const [word, text] = [document.createElement('span'), document.createElement('output')];
  const input = document.createElement('input');
  Object.assign(input, { type: 'range', step: 'any', min: String(low), max: String(high) });
  word.textContent = word.title = name;
  row.className = 'slide';
  row.append(word, input, text);
  list.append(row);
  const show = (/** @type {number} */ x, /** @type {string} */ said) => {
    if (text.textContent === said) return;
    input.value = String(x);
    input.setAttribute('aria-valuetext', said);
    text.textContent = said;
  };
  return { row, input, show };
}

/**
 * Sliders for numbers of the scene: how many times as large they are, with one in the middle.
 * @param {HTMLElement} list @param {import('./physics.js').Physics} physics @param {() => void} changed
 */
export function numberSliders(list, physics, changed) {
  const { sliders, values: first } = physics.data;
  for (const { label, places } of sliders) {
    const all = places.map((k) => first[k]);
    const zero = all.every((x) => x === 0); // then it goes both ways
    const same = all.every((x) => x === all[0]);
    const { input, show } = slider(list, label, 0, 2);
    const set = () => {
      const x = Math.abs(Number(input.value) - 1) < 0.03 ? 1 : Number(input.value);
      const factor = x > 1 ? 2 * x - 1 : x;
      places.forEach((k, j) => (physics.values[k] = zero ? x - 1 : factor * all[j]));
      show(x, same ? String(Number(physics.values[places[0]].toPrecision(3))) : `×${factor.toFixed(2)}`);
      changed();
    };
    input.value = '1';
    input.addEventListener('input', set);
    set();
  }
}

/**
 * Sliders for coordinates, which go along with the motion unless they are held.
 * @param {HTMLElement} list @param {import('./coordinates.js').Coordinate[]} coordinates
 * @param {(put: ((state: import('./physics.js').State) => void) | null) => void} hold what keeps one where it is; nothing lets go
 * @param {() => import('./physics.js').State} state that is shown
 * @returns {() => void} shows where joints are
 */
export function jointSliders(list, coordinates, hold, state) {
  const visible = new Set();
  const watch = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) visible[isIntersecting ? 'add' : 'delete'](target);
  });
  const rows = coordinates.map((coordinate) => {
    const { name, unit, low, high, turns } = coordinate;
    const { row, input, show } = slider(list, name, low, high);
    input.disabled = coordinate.fixed;
    /** @type {((state: import('./physics.js').State, x: number) => void) | null} */
    let put = null;
    const release = () => {
      if (put) hold((put = null));
    };
    input.addEventListener('input', () => {
      put ??= coordinate.hold(state().q);
      const [held, x] = [put, Number(input.value)];
      hold((now) => held(now, x));
      show(x, worded(x, unit, high - low));
    });
    for (const kind of ['change', 'pointerup', 'pointercancel', 'blur']) input.addEventListener(kind, release);
    watch.observe(row);
    const update = (/** @type {ArrayLike<number>} */ q) => {
      const x = coordinate.read(q);
      const turn = turns ? 2 * Math.PI * Math.round(x / (2 * Math.PI)) : 0;
      if (!put) show(x - turn, worded(x, unit, high - low));
    };
    return { row, update };
  });
  return () => {
    const { q } = state();
    for (const { row, update } of rows) if (visible.has(row)) update(q);
  };
}
