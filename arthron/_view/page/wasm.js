// A page of arthron that was exported to WebAssembly, ready to be run. Browsers and Node.

/**
 * @typedef {{name: string, shape: number[], address: number}} Place
 *   An array of doubles in the module's memory.
 * @typedef {{name: string, pages: number, stack: number, scratch: number, rows: number,
 *   inputs: Place[], results: Place[], free: number}} Manifest  What `save` wrote.
 * @typedef {Record<string, Float64Array>} Arrays  Arrays by name, in the order of NumPy's.
 * @typedef {{inputs: Arrays, results: Arrays, run: () => void}} Program
 *   Set `inputs`, call `run`, read `results`. The arrays stay where they are: keep them, fill them.
 */

/**
 * Makes a module and its memory, which never grows, so that views of it stay valid.
 * @param {BufferSource} bytes  The module.
 * @param {Manifest} manifest
 * @returns {Promise<Program>}
 */
export async function load(bytes, manifest) {
  const { pages, stack, scratch, rows } = manifest;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const pointer = new WebAssembly.Global({ value: "i32", mutable: true }, stack);
  const given = { env: { __linear_memory: memory, __stack_pointer: pointer } };
  const { instance } = await WebAssembly.instantiate(bytes, given);
  const step = /** @type {(scratch: number, rows: number) => void} */ (instance.exports.run);

  const places = [...manifest.inputs, ...manifest.results];
  new Uint32Array(memory.buffer, rows, places.length).set(places.map((place) => place.address));

  /** @param {Place[]} group */
  const views = (group) => Object.fromEntries(group.map(({ name, shape, address }) => {
    const size = shape.reduce((product, extent) => product * extent, 1);
    return [name, new Float64Array(memory.buffer, address, size)];
  }));
  return {
    inputs: views(manifest.inputs),
    results: views(manifest.results),
    run: () => step(scratch, rows),
  };
}

/**
 * Gives a program those of some numbers that it takes.
 * @param {Program} program
 * @param {Record<string, ArrayLike<number>>} given  By name.
 */
export function fill({ inputs }, given) {
  for (const [name, numbers] of Object.entries(given)) if (inputs[name]) inputs[name].set(numbers);
}
