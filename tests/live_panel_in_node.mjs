// What the panel of a live page does, without the page: reads a scene and what is asked, writes what came of it.
import { readFileSync, writeFileSync } from 'node:fs';

const [folder, told, path] = process.argv.slice(2);
const from = (name) => import(`${folder}/${name}.js`);
const { Physics } = await from('physics');
const { grasped, position, reach, worded } = await from('coordinates');
const { exponential, logarithm } = await from('math');
const { coloured, graphsOf, lately, ticks } = await from('plots');
const { Recorder } = await from('recorder');
const { unpacked } = await from('unpacked');
const { scene, vectors, spans, pages } = JSON.parse(readFileSync(told, 'utf8'));
const { data, arrays, count } = scene;
const bytes = Object.fromEntries(Object.entries(arrays).map(([name, text]) => [name, Buffer.from(text, 'base64')]));
const physics = await Physics.of(data, bytes, count);
const plain = (state) => Object.fromEntries(Object.entries(state).map(([name, x]) => [name, Array.from(x)]));
const out = {};

out.pages = await Promise.all(pages.map(async (text) => {
  const { data: found, arrays: numbers } = await unpacked(text);
  return [found, Object.fromEntries(Object.entries(numbers).map(([name, x]) => [name, Array.from(x)]))];
}));

// Coordinates, one after the other
const moved = () => Object.fromEntries(Object.entries(data.start).map(([name, x]) => [name, Float64Array.from(x)]));
out.moved = data.coordinates.map((coordinate) => {
  const state = moved();
  const put = grasped(coordinate, state);
  put(state, 0.4);
  put(state, 0.3);
  return { state: plain(state), x: position(coordinate, state), reach: reach(coordinate, 0.5, 2) };
});
const far = { ...moved(), q: moved().q.map((x) => x + 100) };
grasped(data.coordinates[0], far)(far, 0.3);
out.turns = far.q[data.coordinates[0].q];
out.turned = vectors.map((v) => [exponential(v), logarithm(exponential(v)), logarithm(exponential(v).map((x) => -x))]);
out.words = [[0.5, 'rad', 6], [-0.0001, 'rad', 6], [0.031, 'm', 0.2], [-1.234, 'm', 4], [2, '', 2], [-5.5749, 'm', 0.04], [1234567, 'rad', 6]].map((x) => worded(...x));

// A recording that goes back once, and on from a state that is another
const recorder = new Recorder(physics);
const states = new Map();
const tell = () => states.set(physics.done, { t: physics.time, state: plain(physics.state) });
physics.after.push(() => recorder.take(), tell);
const about = () => JSON.parse(new TextDecoder().decode(recorder.parts()[2])).about;
const go = (t) => { while (physics.grow(t)); };
go(0.012);
recorder.begin();
tell();
physics.numbers('gravity').set([0.5, 0, -3]);
recorder.take();
go(0.062);
go(0.113);
physics.resume(0.07);
physics.state.q[0] += 0.1;
physics.remember();
recorder.take();
tell();
physics.integrator = data.integrators[1];
go(0.105);
recorder.end();
go(0.12);
out.about = [about()];
writeFileSync(path, Buffer.from(await new Blob(recorder.parts()).arrayBuffer()));
out.states = [...states].filter(([done]) => done % 5 === 2 && done >= 12 && done <= 105).map(([, state]) => state);
out.seconds = recorder.seconds;

// Numbers that change midway, in a future that is forgotten, and in one that stays; what blew up is no part of it
recorder.begin();
go(0.14);
physics.numbers('gravity').set([0, 0, -1]);
recorder.take();
go(0.16);
out.about.push(about());
physics.resume(0.13);
recorder.end();
out.about.push(about(), recorder.seconds);

// Plots
let slots = [];
out.slots = spans.map((each) => (slots = coloured(each, slots)));
out.ticks = [ticks(-0.2, 1.1, 4), ticks(97.3, 104.1, 4), ticks(2, 12, 5)];
out.graphs = graphsOf(data).map(({ title, curves }) => ({
  title, names: curves.map(({ name }) => name), values: curves.map(({ read }) => read(physics.frames[0])),
}));
const film = Array.from({ length: 3000 }, (_, k) => ({ t: k / 60 }));
out.lately = [1500, 1501].map((k) => lately(film, k).map(({ t }) => t));
process.stdout.write(JSON.stringify(out));
