// Runs scenes of live pages as the page does: reads pages and what to do with each, writes what came of it.
import { readFileSync } from 'node:fs';

const [folder, told] = process.argv.slice(2);
performance.now = () => 0; // a machine that is never late
const { Physics } = await import(`${folder}/physics.js`);
const { Player } = await import(`${folder}/player.js`);
const { blownUp } = await import(`${folder}/live.js`);
const plain = (state) => Object.fromEntries(Object.entries(state).map(([name, x]) => [name, Array.from(x)]));
const tell = (physics) => {
  const { kinetic, potential, torques, wrenches } = physics.seen(physics.state, physics.time).results;
  return {
    t: physics.time, trouble: physics.trouble, state: plain(physics.state),
    energy: [kinetic[0], potential[0]], torques: Array.from(torques), wrenches: Array.from(wrenches),
    force: Array.from(physics.hand.force),
  };
};
const answers = [];
for (const { data, arrays, count, orders } of JSON.parse(readFileSync(told, 'utf8'))) {
  const bytes = Object.fromEntries(Object.entries(arrays).map(([name, text]) => [name, Buffer.from(text, 'base64')]));
  const physics = await Physics.of(data, bytes, count);
  const player = new Player(physics);
  const { hand } = physics;
  const orderly = {
    /** Steps, all of which are told. */
    run: (steps, every, tau) => Array.from({ length: steps / every }, () => {
      for (let k = 0; k < every; k++) physics.step(tau ? Float64Array.from(tau) : hand.tau());
      return tell(physics);
    }),
    /** Frames of the wall clock. */
    play: (frames, milliseconds) => {
      player.play();
      for (let k = 0; k <= frames; k++) player.tick(k * milliseconds);
      return tell(physics);
    },
    grab: (body, point, target) => hand.grab(body, point, target),
    move: (target) => { hand.target = target; },
    release: () => hand.release(),
    integrator: (name) => { physics.integrator = name; },
    numbers: (name, values) => physics.numbers(name).set(values),
    resume: (t) => physics.resume(t),
    branch: (t) => { physics.branch(t); physics.remember(); },
    blown: () => [player.time, physics.end, blownUp(physics)],
    moment: (t) => physics.moment(t),
    reset: () => physics.reset(),
    pull: (k) => { physics.data.pull = k; },
    step: (h) => { physics.data.step = h; },
    wrenches: () => {
      physics.remember();
      return Array.from(physics.wrenches(physics.time));
    },
    stretches: (t) => physics.stretches(t).map((x) => Array.from(x)),
    poses: (t) => Array.from(physics.poses(t, new Float64Array(7 * count))),
  };
  answers.push(orders.map(([name, ...given]) => orderly[name](...given) ?? null));
}
process.stdout.write(JSON.stringify(answers));
