// Least time of a call of an exported page: `node wasm.mjs loader NAME.wasm NAME.json inputs.json`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [loader, module, manifest, given] = process.argv.slice(2);
const { load } = await import(pathToFileURL(loader));
const read = (file) => JSON.parse(readFileSync(file));
const before = performance.now();
const { inputs, results, run } = await load(readFileSync(module), read(manifest));
const ready = performance.now() - before;
for (const [name, numbers] of Object.entries(read(given))) inputs[name].set(numbers);
const calls = 2000;
let best = Infinity;
for (let k = 0; k < 100; k++) {
  const start = performance.now();
  for (let i = 0; i < calls; i++) run();
  best = Math.min(best, (performance.now() - start) / calls);
}
const found = Object.fromEntries(Object.entries(results).map(([name, array]) => [name, [...array]]));
console.log(JSON.stringify({ ready, best: 1e3 * best, results: found }));
