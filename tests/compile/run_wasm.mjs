// Runs exported pages: `node run_wasm.mjs loader folder`. The folder has cases.json, a list of
// {module, steps}, and for each module NAME.wasm, NAME.json, NAME.in: rows of inputs. Writes
// NAME.out: the results of each row, after so many steps in which results become inputs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [loader, folder] = process.argv.slice(2);
const { load } = await import(pathToFileURL(loader));
const doubles = (file) => new Float64Array(new Uint8Array(readFileSync(file)).buffer);

for (const { module, steps } of JSON.parse(readFileSync(join(folder, "cases.json")))) {
  const at = join(folder, module);
  const manifest = JSON.parse(readFileSync(`${at}.json`));
  const { inputs, results, run } = await load(readFileSync(`${at}.wasm`), manifest);
  const given = doubles(`${at}.in`);
  const width = Object.values(inputs).reduce((sum, array) => sum + array.length, 0);
  const found = [];
  for (let row = 0; row < given.length; row += width) {
    let next = row;
    for (const array of Object.values(inputs)) {
      array.set(given.subarray(next, next + array.length));
      next += array.length;
    }
    run();
    for (let step = 1; step < steps; step++) {
      for (const name in results) inputs[name]?.set(results[name]);
      run();
    }
    for (const array of Object.values(results)) found.push(...array);
  }
  writeFileSync(`${at}.out`, new Float64Array(found));
}
