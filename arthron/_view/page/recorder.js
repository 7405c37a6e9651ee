/**
 * What a page is told of trajectory files.
 * @typedef {object} FileData
 * @property {string} magic
 * @property {string[]} kinds of records: header, states
 * @property {string[]} names of columns: states, and what there is to see of them
 * @property {string[]} opened numbers of the scene that its start decided
 * @property {any} header less what is known at the end
 */

/** States of a scene as it goes on, for a file that arthron reads. */
export class Recorder {
  /** @param {import('./physics.js').Physics} physics */
  constructor(physics) {
    this.physics = physics;
    this.file = physics.data.file;
    /** @type {Float64Array<ArrayBuffer>[]} */
    this.rows = [];
    this.first = 0;
    this.recording = false;
    /** @type {Set<string>} */
    this.integrators = new Set();
    /** Numbers of the scene at the first state. */
    this.values = physics.values.slice();
    /** When each that changed then did so first [s]. @type {Map<string, number>} */
    this.changed = new Map();
  }

  /** How long it is [s]. */
  get seconds() {
    return this.rows.length ? this.rows[this.rows.length - 1][0] - this.rows[0][0] : 0;
  }

  begin() {
    this.rows = [];
    this.integrators.clear();
    this.recording = true;
    this.take();
  }

  end() {
    const { time, data } = this.physics;
    this.recording = false;
    this.forget(time + 0.5 * data.step);
  }

  /** What was behind a time. @param {number} t */
  forget(t) {
    const { rows, changed } = this;
    while (rows.length && rows[rows.length - 1][0] > t) rows.pop();
    for (const [name, when] of changed) if (when > t || !rows.length) changed.delete(name);
  }

  /** Keep the present if it is its turn, and nothing that was behind it. */
  take() {
    if (!this.recording) return;
    const { physics, rows } = this;
    const { done, time, integrator } = physics;
    const { step, keep_every: every } = this.file.header.about;
    this.forget(time - 0.5 * step);
    if (!rows.length) Object.assign(this, { first: done, values: physics.values.slice() });
    for (const name in this.file.header.parameters) {
      if (!this.changed.has(name) && this.differ(name, this.values)) this.changed.set(name, time);
    }
    if ((done - this.first) % every) return;
    const { kinetic, potential } = physics.seen(physics.state, time).results;
    const { forces } = physics.programs[integrator].results; // of constraints
    const known = { ...physics.state, kinetic, potential, forces };
    rows.push(Float64Array.of(time, ...this.file.names.flatMap((name) => [...known[name]])));
    this.integrators.add(integrator);
  }

  /** Whether numbers of a name are others than these. @param {string} name @param {ArrayLike<number>} before */
  differ(name, before) {
    const [from] = this.physics.data.layout[name];
    return this.physics.numbers(name).some((x, k) => x !== before[from + k]);
  }

  /** The file, in parts. @returns {BlobPart[]} */
  parts() {
    const { header, kinds, magic, opened } = this.file;
    const others = Object.keys(header.parameters).filter(
      (name) => opened.includes(name) || this.differ(name, this.physics.data.values),
    );
    const about = { ...header.about, integrator: [...this.integrators].join(', ') };
    if (this.changed.size) about.changed = Object.fromEntries(this.changed);
    const parameters = Object.fromEntries(others.map((name) => [name, header.parameters[name]]));
    const text = bytesOf(`${JSON.stringify({ ...header, about, parameters })}\n`);
    const numbers = others.map((name) => bytesOf(this.physics.numbers(name).slice()));
    const first = bytesOf(magic);
    const { head, own } = record(kinds[0], [text, ...numbers], crc32(first));
    const states = this.rows.map(bytesOf);
    return [first, head, text, ...numbers, record(kinds[1], states, own).head, ...states];
  }
}

/** The head of a record behind one with a checksum, and its own. @param {string} kind @param {Uint8Array[]} parts @param {number} chain */
function record(kind, parts, chain) {
  const head = new Uint8Array(20);
  const view = new DataView(head.buffer);
  head.set(bytesOf(kind));
  view.setUint32(4, parts.reduce((sum, part) => sum + part.length, 0), true); // of eight bytes
  view.setUint32(12, parts.reduce((crc, part) => crc32(part, crc), 0), true);
  const own = crc32(head.subarray(0, 16), chain);
  view.setUint32(16, own, true);
  return { head, own };
}

/** Checksum of zlib, going on from another. @param {Uint8Array} bytes */
function crc32(bytes, before = 0) {
  let crc = ~before;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Of a text, or of numbers on any machine that browsers run on. @param {string | Float64Array} x @returns {Uint8Array<ArrayBuffer>} */
const bytesOf = (x) => (typeof x === 'string' ? new TextEncoder().encode(x) : new Uint8Array(x.buffer));
