// Programs of the graphics card. Colours are light from 0 to 1 until `encoded`.

const HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

/** Light to sRGB: what is brighter than the screen comes near to white, but keeps its shading. */
const ENCODED = `
vec3 encoded(vec3 c) {
  c = mix(c, 0.55 + 0.45 * (1.0 - exp(-(c - 0.55) / 0.45)), step(0.55, c));
  return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }
`;

/** How much of the sun a point sees: soft where what hides it is far away. */
const SUNLIT = `
uniform sampler2DShadow uShadow;
uniform sampler2D uDepth;
uniform mat4 uLight;
uniform float uTexel;
const float TURN = 2.39996323;
vec2 disc(int k, int n, float turn) {
  float angle = float(k) * TURN + turn;
  return sqrt((float(k) + 0.5) / float(n)) * vec2(cos(angle), sin(angle));
}
float sunlit(vec3 at, float least, float most, float slope) {
  vec3 p = 0.5 + 0.5 * (uLight * vec4(at, 1.0)).xyz;
  vec2 edge = abs(p.xy - 0.5);
  if (max(edge.x, edge.y) > 0.5) return 1.0;
  float turn = 6.2831853 * noise(gl_FragCoord.xy);
  float hidden = 0.0, found = 0.0;
  for (int k = 0; k < 10; k++) {
    float d = texture(uDepth, p.xy + most * uTexel * disc(k, 10, turn)).r;
    if (d < p.z - 0.002) { hidden += p.z - d; found += 1.0; }
  }
  if (found == 0.0) return 1.0;
  float radius = clamp(slope * hidden / found, least, most) * uTexel;
  float near = min(p.z, 1.0), lit = 0.0;
  for (int k = 0; k < 24; k++) lit += texture(uShadow, vec3(p.xy + radius * disc(k, 24, turn), near));
  return lit / 24.0;
}
`;

export const SOLID_VERTEX = (/** @type {boolean} */ coiled) => `${HEAD}
uniform mat4 uModel, uCamera;
uniform vec4 uCoil; // radius of the coil, of its wire, turns, length
in vec3 aPoint, aNormal;
out vec3 vAt, vNormal;
invariant gl_Position; // depths first, then colours where they are the same
${coiled ? `
void bend(out vec3 point, out vec3 normal) {
  float s = aPoint.x, a = 6.2831853 * uCoil.z * s;
  float r = uCoil.x * smoothstep(0.06, 0.14, s) * smoothstep(0.94, 0.86, s);
  vec3 outwards = vec3(cos(a), sin(a), 0.0);
  vec3 along = normalize(vec3(-r * 6.2831853 * uCoil.z * sin(a), r * 6.2831853 * uCoil.z * cos(a), uCoil.w));
  normal = outwards * cos(aPoint.y) + cross(along, outwards) * sin(aPoint.y);
  point = vec3(r * outwards.xy, s * uCoil.w) + uCoil.y * normal;
}` : `
void bend(out vec3 point, out vec3 normal) { point = aPoint; normal = aNormal; }`}
void main() {
  vec3 point, normal;
  bend(point, normal);
  vec4 at = uModel * vec4(point, 1.0);
  vAt = at.xyz;
  mat3 m = mat3(uModel); // of normals: what is across stays across where it stretches
  vNormal = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])) * normal;
  gl_Position = uCamera * at;
}`;

export const SOLID_FRAGMENT = `${HEAD}${ENCODED}${SUNLIT}
uniform vec3 uColor, uSun, uUp, uEye, uSky, uEarth, uKey;
uniform float uOpacity, uBias;
uniform int uPaint; // 0 lit, 1 plain, 2 quarters as of a centre of mass
in vec3 vAt, vNormal;
out vec4 color;
void main() {
  vec3 n = normalize(vNormal), v = normalize(uEye - vAt), base = uColor;
  if (uPaint == 1) { color = vec4(encoded(base) * uOpacity, uOpacity); return; }
  if (uPaint == 2) base = n.x * n.y * n.z > 0.0 ? vec3(0.02) : vec3(0.95);
  if (dot(n, v) < 0.0 && uPaint == 0) n = normalize(n - 1.01 * dot(n, v) * v);
  float facing = max(dot(n, uSun), 0.0);
  float lit = facing > 0.0 ? facing * sunlit(vAt + uBias * (1.0 + 4.0 * (1.0 - facing)) * n, 1.0, 3.0, 40.0) : 0.0;
  vec3 light = mix(uEarth, uSky, 0.5 + 0.5 * dot(n, uUp)) + uKey * lit + 0.10 * max(dot(n, v), 0.0);
  float shine = pow(max(dot(n, normalize(uSun + v)), 0.0), 48.0) * 0.16 * step(0.001, lit) * min(1.0, 3.0 * lit);
  float rim = pow(1.0 - max(dot(n, v), 0.0), 4.0) * 0.10;
  vec3 c = encoded(base * light + (shine + rim * uSky));
  color = vec4(c * uOpacity, uOpacity);
}`;

export const DEPTH_FRAGMENT = `${HEAD}
void main() {}`;

export const GROUND_VERTEX = `${HEAD}
uniform mat4 uCamera;
uniform vec3 uX, uY, uFoot;
uniform float uReach;
in vec3 aPoint;
out vec2 vPlace;
out vec3 vAt;
void main() {
  vPlace = uReach * aPoint.xy;
  vAt = uFoot + uX * vPlace.x + uY * vPlace.y;
  gl_Position = uCamera * vec4(vAt, 1.0);
}`;

export const GROUND_FRAGMENT = `${HEAD}${ENCODED}${SUNLIT}
uniform vec2 uOffset; // of the camera's foot in its square
uniform float uSquare, uReach, uShade, uSide;
uniform vec4 uCell, uSection; // colours of lines, and how strong they are
in vec2 vPlace;
in vec3 vAt;
out vec4 color;
// Lines that stay as wide as they are, or fade into their mean where they are thinner than a pixel
float lines(vec2 p, float width) {
  vec2 d = vec2(length(vec2(dFdx(p.x), dFdy(p.x))), length(vec2(dFdx(p.y), dFdy(p.y))));
  vec2 drawn = clamp(vec2(width), d, vec2(0.5)), soft = max(d, 1e-6) * 1.5;
  vec2 near = 1.0 - abs(fract(p) * 2.0 - 1.0);
  vec2 on = smoothstep(drawn + soft, drawn - soft, near) * clamp(width / drawn, 0.0, 1.0);
  on = mix(on, vec2(width), clamp(d * 2.0 - 1.0, 0.0, 1.0));
  return mix(on.x, 1.0, on.y);
}
void main() {
  vec2 p = vPlace + uOffset;
  float far = length(vPlace) / uReach;
  float fade = 1.0 - smoothstep(0.15, 1.0, far);
  float cell = lines(p / uSquare * 5.0, 0.026) * uCell.a * fade * (1.0 - smoothstep(0.1, 0.6, far));
  float section = lines(p / uSquare, 0.007) * uSection.a * fade;
  vec4 drawn = vec4(uCell.rgb * cell, cell);
  drawn = vec4(uSection.rgb * section, section) + drawn * (1.0 - section);
  float dark = (1.0 - sunlit(vAt, 1.0, 11.0, 26.0)) * uShade * fade;
  drawn = vec4(drawn.rgb * (1.0 - dark), dark + drawn.a * (1.0 - dark));
  color = drawn * uSide;
}`;

export const SKY_VERTEX = `${HEAD}
in vec3 aPoint;
out float vHeight;
void main() {
  vHeight = 0.5 + 0.5 * aPoint.y;
  gl_Position = vec4(aPoint.xy, 1.0, 1.0);
}`;

export const SKY_FRAGMENT = `${HEAD}${ENCODED}
uniform vec3 uTop, uBottom;
in float vHeight;
out vec4 color;
void main() {
  color = vec4(mix(uBottom, uTop, smoothstep(0.1, 1.0, vHeight)) + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}`;

/** Ribbons of a width in pixels: each piece is a square pulled from one point to the next. */
export const RIBBON_VERTEX = `${HEAD}
uniform mat4 uCamera;
uniform vec2 uWindow;
uniform float uWide;
in vec3 aPoint;
in vec4 aFrom, aTo; // places, and how strong they are
out float vStrength;
out float vAcross;
void main() {
  vec4 a = uCamera * vec4(aFrom.xyz, 1.0), b = uCamera * vec4(aTo.xyz, 1.0);
  vec2 way = (b.xy / b.w - a.xy / a.w) * uWindow;
  way = length(way) > 1e-6 ? normalize(way) : vec2(1.0, 0.0);
  bool end = aPoint.x > 0.0;
  vec4 at = end ? b : a;
  vec2 off = (vec2(-way.y, way.x) * aPoint.y + way * aPoint.x * 0.12) * uWide / uWindow;
  vStrength = end ? aTo.w : aFrom.w;
  vAcross = aPoint.y;
  gl_Position = at + vec4(off * at.w, 0.0, 0.0);
}`;

export const RIBBON_FRAGMENT = `${HEAD}
uniform vec3 uColor;
in float vStrength;
in float vAcross;
out vec4 color;
void main() {
  float soft = 1.0 - smoothstep(0.55, 1.0, abs(vAcross));
  color = vec4(uColor, 1.0) * (vStrength * soft);
}`;
