// Reads what is given as JSON, runs modules of the page's folder on it, and writes what they make of it.
const from = (name) => import(`${process.argv[2]}/${name}`);
const { Camera, middleOf } = await from('camera.js');
const { shaped, unpackedMesh } = await from('geometry.js');
const { dot, multiply, placed, poseMatrix, slerp, transform } = await from('math.js');
const { Player } = await from('player.js');
const { squareOffset } = await from('renderer.js');
const { Film } = await from('source.js');
const given = JSON.parse(await new Promise((done) => {
  let text = '';
  process.stdin.on('data', (part) => (text += part)).on('end', () => done(text));
}));
const film = new Film(new Float64Array(given.t), new Float64Array(given.focus.flat()),
  new Float32Array(given.positions), new Int16Array(given.turns), new Float64Array(given.energy.flat()), new Float32Array(), [],
  new Float32Array(given.stretch), given.stretched);
const out = {};
const at = (t) => film.poses(t, new Float64Array(7 * film.count));
const bodies = Array.from({ length: film.count }, (_, i) => i);
out.poses = given.times.map((t) => bodies.map((i) => Array.from(poseMatrix(at(t), i))));
out.stretches = given.times.map((t) => film.stretches(t).map((x) => Array.from(x)));
out.placed = given.times.map((t) => placed(at(t), 2, [0.1, 0.2, 0.3]));
out.energy = given.times.map((t) => film.energy(t));
out.middle = middleOf(at(given.times[1]), film.count);
out.steps = [[0, -1], [0, 1], [0.101, -1], [0.101, 1], [9, 1]].map(([t, side]) => film.neighbour(t, side));
const plain = (geometry) => Object.fromEntries(Object.entries(geometry).map(([name, values]) => [name, Array.from(values)]));
const turned = [Math.cos(1), 0, Math.sin(1), 0];
out.arcs = [turned, turned.map((x) => -x)].map((to) => {
  const found = new Float64Array(5);
  slerp([1, 0, 0, 0], 0, to, 0, 0.25, found, 1);
  return Array.from(found.slice(1));
});
out.shapes = given.shapes.map(([kind, sizes]) => plain(shaped(kind, sizes)));
const cube = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]].flat().map((x) => 65535 * x);
const sides = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
out.mesh = plain(unpackedMesh(new Uint16Array(cube), new Uint32Array(sides.flat()), [-1, -1, -1], [2, 2, 2]));
const camera = new Camera(given.camera, given.axes);
const shown = () => {
  const { projection, view } = camera.matrices();
  const whole = multiply(projection, view);
  return given.camera.points.map((p) => {
    const [x, y] = transform(whole, p);
    const w = whole[3] * p[0] + whole[7] * p[1] + whole[11] * p[2] + whole[15];
    return [x / w, y / w];
  });
};
const covered = { top: 0.03, bottom: 0.1 };
out.seen = [1.6, 0.46].map((aspect) => { camera.resize(aspect, covered); return shown(); });
camera.orbit(0.5, 9);
out.steep = Math.asin(dot(camera.back, given.axes[2]));
camera.follow([1, 2, 3]);
out.target = camera.target;
camera.pan(0.1, 0.2);
camera.reset([0, 0, 1]);
out.reset = [camera.target, camera.back];
out.offsets = [squareOffset([1e9 + 0.25, -3.5, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1)];
const player = new Player(film);
const times = [];
player.play();
for (const now of [0, 100, 200, 10000, 10100]) { player.tick(now); times.push(player.time); }
player.speed = 2;
player.tick(10200); times.push(player.time);
player.loop = false;
for (let k = 1; k < 9; k++) player.tick(10200 + 100 * k);
times.push(player.time);
out.player = { times, playing: player.playing };
player.play();
out.again = player.time;
process.stdout.write(JSON.stringify(out));
