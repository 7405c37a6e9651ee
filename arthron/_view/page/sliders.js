import { grasped, position, reach, worded } from './coordinates.js';

/** @typedef {import('./physics.js').State} State */
/** @typedef {(act: () => void) => void} Alter changes the scene from what is shown on */

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

/** A slider that a double click brings back to where it was first. @param {HTMLInputElement} input @param {number} first @param {(x: number) => void} set */
function returning(input, first, set) {
  const back = () => {
    input.value = String(first);
    set(first);
  };
  input.title = 'Double-click for the first value';
  input.addEventListener('input', () => set(Number(input.value)));
  input.addEventListener('dblclick', back);
  back();
}

/** How strong gravity is, along where it points, or downwards. @param {HTMLElement} list @param {import('./physics.js').Physics} physics @param {Alter} alter */
export function gravitySlider(list, physics, alter) {
  const first = Array.from(physics.numbers('gravity'));
  const whole = Math.hypot(...first);
  const { input, show } = slider(list, 'gravity', 0, 2 * whole || 9.81);
  input.id = 'gravity';
  returning(input, whole, (g) => {
    alter(() => physics.numbers('gravity').set(g === whole ? first : whole ? first.map((x) => (g / whole) * x) : [0, 0, -g]));
    show(g, `${g.toFixed(2)} m/s²`);
  });
}

/**
 * Sliders for numbers of the scene: how many times as large they are, with one in the middle.
 * @param {HTMLElement} list @param {import('./physics.js').Physics} physics @param {Alter} alter
 */
export function numberSliders(list, physics, alter) {
  const { sliders, values: first } = physics.data;
  for (const { label, places } of sliders) {
    const all = places.map((k) => first[k]);
    const zero = all.every((x) => x === 0); // then it goes both ways
    const same = all.every((x) => x === all[0]);
    const { input, show } = slider(list, label, 0, 2);
    returning(input, 1, (given) => {
      const x = Math.abs(given - 1) < 0.03 ? 1 : given;
      const factor = x > 1 ? 2 * x - 1 : x;
      alter(() => places.forEach((k, j) => (physics.values[k] = zero ? x - 1 : factor * all[j])));
      show(x, same ? String(Number(physics.values[places[0]].toPrecision(3))) : `×${factor.toFixed(2)}`);
    });
  }
}

/**
 * Sliders for coordinates, which go along with the motion unless they are held.
 * @param {HTMLElement} list @param {import('./physics.js').Physics} physics @param {number} size of the figure
 * @param {() => State} state that is shown
 * @param {(put: ((state: State) => void) | null) => void} hold keeps one where it is, or lets it go
 * @returns {() => void} shows where joints are
 */
export function jointSliders(list, physics, size, state, hold) {
  const first = physics.state;
  const visible = new Set();
  const watch = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) visible[isIntersecting ? 'add' : 'delete'](target);
    refresh();
  });
  const rows = physics.data.coordinates.map((coordinate) => {
    const { name, unit, fixed } = coordinate;
    const [low, high] = reach(coordinate, position(coordinate, first), size);
    const { row, input, show } = slider(list, name, low, high);
    const said = (/** @type {number} */ x) => worded(x, unit, high - low);
    /** @type {ReturnType<typeof grasped> | null} */
    let put = null;
    input.disabled = fixed;
    input.addEventListener('input', () => {
      const held = (put ??= grasped(coordinate, state()));
      const x = Number(input.value);
      hold((now) => held(now, x));
      show(x, said(x));
    });
    for (const kind of ['change', 'pointerup', 'pointercancel', 'blur']) {
      input.addEventListener(kind, () => {
        if (put) hold((put = null));
      });
    }
    watch.observe(row);
    const update = () => {
      const x = position(coordinate, state());
      const round = low === -Math.PI && high === Math.PI ? 2 * Math.PI * Math.round(x / (2 * Math.PI)) : 0;
      if (!put) show(x - round, said(x - round));
    };
    return { row, update };
  });
  const refresh = () => {
    for (const { row, update } of rows) if (visible.has(row)) update();
  };
  return refresh;
}
