import { across, along, columns, cross, dot, multiply, orthographic, scale, subtract, viewMatrix } from './math.js';
import {
  DEPTH_FRAGMENT, GROUND_FRAGMENT, GROUND_VERTEX, RIBBON_FRAGMENT, RIBBON_VERTEX, SKY_FRAGMENT, SKY_VERTEX,
  SOLID_FRAGMENT, SOLID_VERTEX,
} from './shaders.js';

/** @typedef {import('./math.js').Vec} Vec */
/** @typedef {import('./math.js').Vec3} Vec3 */
/** @typedef {import('./geometry.js').Geometry} Geometry */
/** @typedef {{array: WebGLVertexArrayObject, count: number}} Uploaded */

/**
 * One thing to draw, in a place counted from what the camera looks at.
 * @typedef {object} Drawn
 * @property {Uploaded} mesh
 * @property {Float32Array} matrix
 * @property {Vec3} color light from 0 to 1
 * @property {number} opacity
 * @property {boolean} [sunk] whether it gives way to what is in the same place
 * @property {number} [paint] 0 lit, 1 plain, 2 quarters
 * @property {number[]} [coil] radius, radius of the wire, turns, length
 */

/**
 * @typedef {object} View all of a picture
 * @property {ReturnType<import('./camera.js').Camera['matrices']>} camera
 * @property {Vec3} origin what places are counted from, in the world
 * @property {Drawn[]} solids
 * @property {Drawn[]} ghosts
 * @property {Drawn[]} overlays shown through all else
 * @property {{places: Float32Array, color: Vec3}[]} ribbons from, strength, to, strength, and so on
 * @property {{at: Vec3, radius: number}} casting a ball around what throws shadows
 * @property {{height: number, square: number, reach: number} | null} ground
 * @property {Vec3[]} axes two level ones, and up
 * @property {Vec3} sun where it is
 * @property {Theme} theme
 */

/**
 * @typedef {object} Theme colours from 0 to 255
 * @property {number[]} top
 * @property {number[]} bottom
 * @property {number[]} cell with strength
 * @property {number[]} section with strength
 * @property {number} shade how dark shadows on the ground are
 * @property {number} sky
 * @property {number} earth
 * @property {number} key
 */

const MAP = 1024; // texels of the shadow map, each way

/** Draws views on a canvas, by WebGL 2. */
export class Renderer {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', { antialias: true, alpha: false, powerPreference: 'high-performance' });
    if (!gl) throw new Error('this browser has no WebGL 2, so there is nothing to be seen here');
    this.gl = gl;
    this.canvas = canvas;
    this.programs = {
      solid: this.program(SOLID_VERTEX(false), SOLID_FRAGMENT),
      coil: this.program(SOLID_VERTEX(true), SOLID_FRAGMENT),
      solidDepth: this.program(SOLID_VERTEX(false), DEPTH_FRAGMENT),
      coilDepth: this.program(SOLID_VERTEX(true), DEPTH_FRAGMENT),
      ground: this.program(GROUND_VERTEX, GROUND_FRAGMENT),
      sky: this.program(SKY_VERTEX, SKY_FRAGMENT),
      ribbon: this.program(RIBBON_VERTEX, RIBBON_FRAGMENT),
    };
    const square = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
    this.square = this.upload({ points: square, normals: square, faces: new Uint32Array([0, 1, 2, 0, 2, 3]) });
    this.ribbons = gl.createBuffer();
    this.shadow = this.shadowMap();
    this.radius = 0; // of what the shadow map holds
    /** @type {Float32Array} from places to what the sun sees */
    this.light = new Float32Array(16);
  }

  /** @param {string} vertex @param {string} fragment */
  program(vertex, fragment) {
    const gl = this.gl;
    const made = /** @type {WebGLProgram} */ (gl.createProgram());
    const texts = /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]);
    for (const [kind, text] of texts) {
      const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    ['aPoint', 'aNormal', 'aFrom', 'aTo'].forEach((name, k) => gl.bindAttribLocation(made, k, name));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) {
      const said = (gl.getAttachedShaders(made) ?? []).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(`a program of the graphics card does not build: ${gl.getProgramInfoLog(made)} ${said.join(' ')}`);
    }
    /** @type {Record<string, WebGLUniformLocation | null>} */
    const at = {};
    const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) ?? 0;
    for (let k = 0; k < count; k++) {
      const name = /** @type {WebGLActiveInfo} */ (gl.getActiveUniform(made, k)).name;
      at[name] = gl.getUniformLocation(made, name);
    }
    return { made, at };
  }

  /** @param {Geometry} geometry @returns {Uploaded} */
  upload(geometry) {
    const gl = this.gl;
    const array = /** @type {WebGLVertexArrayObject} */ (gl.createVertexArray());
    gl.bindVertexArray(array);
    [geometry.points, geometry.normals].forEach((values, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, geometry.faces, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, count: geometry.faces.length };
  }

  /** A texture of depths, read as such and by comparison. */
  shadowMap() {
    const gl = this.gl;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, MAP, MAP);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const sampler = (/** @type {boolean} */ compares) => {
      const one = /** @type {WebGLSampler} */ (gl.createSampler());
      const filter = compares ? gl.LINEAR : gl.NEAREST;
      gl.samplerParameteri(one, gl.TEXTURE_MIN_FILTER, filter);
      gl.samplerParameteri(one, gl.TEXTURE_MAG_FILTER, filter);
      gl.samplerParameteri(one, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
      gl.samplerParameteri(one, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
      if (compares) gl.samplerParameteri(one, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
      return one;
    };
    return { texture, frame, compared: sampler(true), plain: sampler(false) };
  }

  /** The window has another size. @returns {boolean} whether it has */
  resize() {
    const dense = Math.min(window.devicePixelRatio || 1, 2);
    const pixels = (/** @type {number} */ x) => Math.max(1, Math.round(x * dense));
    const [wide, high] = [pixels(this.canvas.clientWidth), pixels(this.canvas.clientHeight)];
    if (this.canvas.width === wide && this.canvas.height === high) return false;
    this.canvas.width = wide;
    this.canvas.height = high;
    return true;
  }

  /** @param {View} view */
  draw(view) {
    const gl = this.gl;
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    const opaque = view.solids.filter((one) => one.opacity >= 1);
    const camera = multiply(view.camera.projection, view.camera.view);
    this.castShadows(view, opaque);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.depthMask(false);
    const sky = this.programs.sky;
    gl.useProgram(sky.made);
    gl.uniform3fv(sky.at.uTop, scale(view.theme.top, 1 / 255));
    gl.uniform3fv(sky.at.uBottom, scale(view.theme.bottom, 1 / 255));
    this.drawMesh(this.square);
    gl.depthMask(true);
    this.drawSolids(opaque, view, camera);

    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.drawGround(view, camera);
    this.drawRibbons(view, camera);
    if (view.ghosts.length) {
      gl.depthMask(true);
      gl.colorMask(false, false, false, false);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      this.drawDepths(view.ghosts, camera, view.camera.apart);
      gl.colorMask(true, true, true, true);
      this.drawSolids(view.ghosts, view, camera);
      gl.depthMask(false);
    }
    const clear = view.solids.filter((one) => one.opacity < 1);
    const deep = (/** @type {Drawn} */ one) => dot(view.camera.back, one.matrix.subarray(12, 15));
    this.drawSolids(clear.sort((a, b) => deep(a) - deep(b)), view, camera);
    gl.disable(gl.DEPTH_TEST);
    this.drawSolids(view.overlays, view, camera);
    gl.depthMask(true);
  }

  /** @param {Uploaded} mesh */
  drawMesh(mesh) {
    this.gl.bindVertexArray(mesh.array);
    this.gl.drawElements(this.gl.TRIANGLES, mesh.count, this.gl.UNSIGNED_INT, 0);
  }

  /** Depths as the sun sees them, of a ball around what throws shadows. @param {View} view @param {Drawn[]} casting */
  castShadows(view, casting) {
    const gl = this.gl;
    const { at, radius } = view.casting;
    if (radius > this.radius || radius < 0.5 * this.radius) this.radius = 1.1 * radius; // else it would swim
    const back = view.sun;
    const right = across(back);
    const above = cross(back, right);
    const texel = (2 * this.radius) / MAP;
    const world = [dot(right, view.origin), dot(above, view.origin)]; // whole texels, for the same reason
    const snapped = (/** @type {Vec3} */ axis, /** @type {number} */ k) =>
      Math.round((dot(axis, at) + world[k]) / texel) * texel - world[k];
    const middle = along(along(scale(back, dot(back, at)), right, snapped(right, 0)), above, snapped(above, 1));
    this.light = multiply(orthographic(this.radius, this.radius), viewMatrix(right, above, back, middle));
    gl.activeTexture(gl.TEXTURE0);
    for (const unit of [0, 1]) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, null);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
    gl.viewport(0, 0, MAP, MAP);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 2);
    this.drawDepths(casting, this.light, null);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    for (const [unit, sampler] of [this.shadow.compared, this.shadow.plain].entries()) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
      gl.bindSampler(unit, sampler);
    }
  }

  /** @param {Drawn[]} list @param {Float32Array} camera @param {number | null} apart of what is sunk, or as it is */
  drawDepths(list, camera, apart) {
    const gl = this.gl;
    for (const program of [this.programs.solidDepth, this.programs.coilDepth]) {
      const some = list.filter((one) => (program === this.programs.coilDepth) === Boolean(one.coil));
      if (!some.length) continue;
      gl.useProgram(program.made);
      gl.uniformMatrix4fv(program.at.uCamera, false, camera);
      for (const one of some) {
        if (apart !== null) gl.polygonOffset(0, one.sunk ? apart : 0);
        gl.uniformMatrix4fv(program.at.uModel, false, one.matrix);
        if (one.coil) gl.uniform4fv(program.at.uCoil, one.coil);
        this.drawMesh(one.mesh);
      }
    }
  }

  /**
   * What all programs that see the sun ask for.
   * @param {ReturnType<Renderer['program']>} program @param {Float32Array} camera
   */
  useLit(program, camera) {
    const gl = this.gl;
    gl.useProgram(program.made);
    gl.uniformMatrix4fv(program.at.uCamera, false, camera);
    gl.uniformMatrix4fv(program.at.uLight, false, this.light);
    gl.uniform1i(program.at.uShadow, 0);
    gl.uniform1i(program.at.uDepth, 1);
    gl.uniform1f(program.at.uTexel, 1 / MAP);
  }

  /** @param {Drawn[]} list @param {View} view @param {Float32Array} camera */
  drawSolids(list, view, camera) {
    const gl = this.gl;
    let last = null;
    gl.enable(gl.POLYGON_OFFSET_FILL);
    for (const one of list) {
      gl.polygonOffset(0, one.sunk ? view.camera.apart : 0);
      const program = one.coil ? this.programs.coil : this.programs.solid;
      const { at } = program;
      if (program !== last) {
        last = program;
        this.useLit(program, camera);
        gl.uniform3fv(at.uSun, view.sun);
        gl.uniform3fv(at.uUp, view.axes[2]);
        gl.uniform3fv(at.uEye, view.camera.eye);
        gl.uniform3fv(at.uSky, Array(3).fill(view.theme.sky));
        gl.uniform3fv(at.uEarth, Array(3).fill(view.theme.earth));
        gl.uniform3fv(at.uKey, scale([1.0, 0.98, 0.95], view.theme.key));
        gl.uniform1f(at.uBias, (3 * 2 * this.radius) / MAP);
      }
      gl.uniformMatrix4fv(at.uModel, false, one.matrix);
      gl.uniform3fv(at.uColor, one.color);
      gl.uniform1f(at.uOpacity, one.opacity);
      gl.uniform1i(at.uPaint, one.paint ?? 0);
      if (one.coil) gl.uniform4fv(at.uCoil, one.coil);
      this.drawMesh(one.mesh);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  /** @param {View} view @param {Float32Array} camera */
  drawGround(view, camera) {
    const gl = this.gl;
    const { ground, axes, theme } = view;
    if (!ground) return;
    const program = this.programs.ground;
    const { at } = program;
    this.useLit(program, camera);
    const deep = ground.height - dot(axes[2], view.origin);
    const foot = scale(axes[2], deep);
    const above = dot(axes[2], subtract(view.camera.eye, foot)) > 0;
    gl.uniform3fv(at.uX, axes[0]);
    gl.uniform3fv(at.uY, axes[1]);
    gl.uniform3fv(at.uFoot, foot);
    gl.uniform1f(at.uReach, ground.reach);
    gl.uniform2fv(at.uOffset, squareOffset(view.origin, axes, ground.square));
    gl.uniform1f(at.uSquare, ground.square);
    gl.uniform1f(at.uShade, theme.shade);
    gl.uniform1f(at.uSide, above ? 1 : 0.35);
    gl.uniform4fv(at.uCell, [...scale(theme.cell, 1 / 255), theme.cell[3]]);
    gl.uniform4fv(at.uSection, [...scale(theme.section, 1 / 255), theme.section[3]]);
    this.drawMesh(this.square);
  }

  /** @param {View} view @param {Float32Array} camera */
  drawRibbons(view, camera) {
    const gl = this.gl;
    const program = this.programs.ribbon;
    if (!view.ribbons.length) return;
    gl.useProgram(program.made);
    gl.uniformMatrix4fv(program.at.uCamera, false, camera);
    gl.uniform2f(program.at.uWindow, this.canvas.width, this.canvas.height);
    gl.uniform1f(program.at.uWide, 3.5 * Math.min(window.devicePixelRatio || 1, 2));
    gl.bindVertexArray(this.square.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ribbons);
    for (const { places, color } of view.ribbons) {
      const count = places.length / 4 - 1;
      if (count < 1) continue;
      gl.bufferData(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
      for (const k of [2, 3]) {
        gl.enableVertexAttribArray(k);
        gl.vertexAttribPointer(k, 4, gl.FLOAT, false, 16, 16 * (k - 2));
        gl.vertexAttribDivisor(k, 1);
      }
      gl.uniform3fv(program.at.uColor, color);
      gl.drawElementsInstanced(gl.TRIANGLES, this.square.count, gl.UNSIGNED_INT, 0, count);
    }
    for (const k of [2, 3]) gl.disableVertexAttribArray(k);
  }
}

/**
 * Where a place is in its square of the ground, exact however far out it is.
 * @param {Vec} origin @param {Vec3[]} axes @param {number} square
 */
export const squareOffset = (origin, axes, square) => [dot(origin, axes[0]) % square, dot(origin, axes[1]) % square];

/**
 * A rod from one place to another: a unit cylinder about z, turned and stretched.
 * @param {Vec} a @param {Vec} b @param {number} radius
 */
export function rodMatrix(a, b, radius) {
  const way = subtract(b, a);
  const length = Math.hypot(...way);
  const z = scale(way, 1 / (length || 1));
  const x = across(z);
  const middle = along(a, way, 0.5);
  return columns(scale(x, radius), scale(cross(z, x), radius), way, middle);
}
