// Watches a scene of a page by its modules: `node opening_in_node.mjs folder given.json`.
performance.now = () => 0; // a machine that is never late
const from = (name) => import(`${process.argv[2]}/${name}.js`);
const { Camera } = await from('camera');
const { multiply, transform } = await from('math');
const { firstMoments, storey } = await from('opening');
const { Physics } = await from('physics');
const { readFileSync } = await import('node:fs');
const given = JSON.parse(readFileSync(process.argv[3]));
const wasm = Object.fromEntries(Object.entries(given.wasm).map(([k, x]) => [k, Buffer.from(x, 'base64')]));
const physics = await Physics.of(given.told.physics, wasm, given.told.bodies.length);
const out = { follows: [] };
for (const follow of [false, true]) {
  const moments = firstMoments(physics, given.extents, follow);
  const camera = new Camera(given.told.camera, given.told.axes);
  camera.resize(1.6, { top: 0.03, bottom: 0.1 });
  const alone = camera.watch(moments.slice(0, 1)) && camera.distance;
  camera.watch(moments);
  const { projection, view } = camera.matrices();
  const whole = multiply(projection, view);
  const seen = moments.map((points) => points.map((p) => {
    const [x, y, z] = p.map((a, k) => a - camera.target[k]);
    const at = transform(whole, [x, y, z]);
    const w = whole[3] * x + whole[7] * y + whole[11] * z + whole[15];
    return [at[0] / w, at[1] / w];
  }));
  out.follows.push({ seen, wider: camera.distance / alone, time: physics.time, frames: physics.frames.length });
}
out.storeys = [-5, 0.9, 1.1, 8, 9.1, 30].map((deep) => storey(2 * deep, 2));
console.log(JSON.stringify(out));
