const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:[)*+-;,=.?@^_`{|}~';

/** Bytes of a text in base 85, behind how many of them are too many. @param {string} text */
export function lettered(text) {
  const digits = new Uint8Array(128);
  [...LETTERS].forEach((letter, digit) => (digits[letter.charCodeAt(0)] = digit));
  const view = new DataView(new ArrayBuffer(((text.length - 1) / 5) * 4));
  for (let at = 0; at < view.byteLength; at += 4) {
    let word = 0;
    for (let k = 1; k <= 5; k++) word = 85 * word + digits[text.charCodeAt((at / 4) * 5 + k)];
    view.setUint32(at, word);
  }
  return new Uint8Array(view.buffer, 0, view.byteLength - Number(text[0]));
}

/**
 * What a page is told: JSON, and arrays by name, out of one compressed text.
 * @param {string} text base 85 of deflate-raw of the length of the JSON in eight bytes, of it, and of the arrays
 */
export async function unpacked(text) {
  const stream = new Blob([lettered(text)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const buffer = await new Response(stream).arrayBuffer();
  const [long] = new Uint32Array(buffer, 0, 1);
  const data = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, long)));
  const kinds = { f8: Float64Array, f4: Float32Array, i2: Int16Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
  /** @type {Record<string, any>} */
  const arrays = {};
  for (const [name, { type, start, length, delta }] of Object.entries(data.arrays)) {
    const array = new kinds[/** @type {keyof typeof kinds} */ (type)](buffer, 8 + long + start, length);
    if (delta) for (let k = 0; k < length; k++) if (k % delta) array[k] += array[k - 1]; // differences along rows
    arrays[name] = array;
  }
  return { data, arrays };
}
