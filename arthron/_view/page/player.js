import { clamp } from './math.js';

/** @typedef {import('./source.js').Source} Source */

/** The time that is shown: it goes on while it plays, by the wall clock times a speed. */
export class Player {
  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    this.time = source.start;
    this.playing = false;
    this.speed = 1;
    this.loop = true;
    /** @type {number | null} when it went on last [ms] */
    this.before = null;
    /** How far it is behind the wall clock since it plays [s]. */
    this.behind = 0;
  }

  /** Whether there is any time to play. */
  get moves() {
    return Boolean(this.source.grow) || this.source.end > this.source.start;
  }

  play() {
    if (!this.moves) return;
    if (this.time >= this.source.end && !this.source.grow) this.time = this.source.start;
    this.playing = true;
    this.before = null;
    this.behind = 0;
  }

  pause() {
    this.playing = false;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** @param {number} t */
  seek(t) {
    this.time = clamp(t, this.source.start, this.source.end);
  }

  /** To the next frame (1), or the one before (-1). @param {number} side */
  step(side) {
    this.pause();
    this.seek(this.source.neighbour(this.time, side));
  }

  /** Go on to a moment of the wall clock. @param {number} now [ms] */
  tick(now) {
    if (!this.playing) return;
    const gone = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    this.time += gone * this.speed;
    if (this.source.grow) {
      const late = this.time > this.source.end ? this.source.grow(this.time) : 0;
      this.behind += late;
      this.time -= late;
      return;
    }
    const { start, end } = this.source;
    if (this.time < end) return;
    if (this.loop) {
      this.time = start + ((this.time - start) % (end - start));
    } else {
      this.time = end;
      this.pause();
    }
  }
}
