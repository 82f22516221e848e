import { LINE_MAX_BYTES } from './limits.ts';

const CR = 0x0d;
const LF = 0x0a;

/**
 * True if lines can go out as they are: ASCII without NUL or bare CR, no line over 998 octets. RFC 2045 §2.7
 */
export function isSevenBit(lines: Uint8Array): boolean {
  let column = 0;
  for (let at = 0; at < lines.length; at++) {
    const octet = lines[at]!;
    if (octet === CR && lines[at + 1] === LF) {
      at++;
      column = 0;
    } else if (octet === 0 || octet === CR || octet === LF || octet > 0x7e || ++column > LINE_MAX_BYTES) {
      return false;
    }
  }
  return true;
}

/** Adds a CR to each LF without one; returns its argument if there is none. */
export function withCrlf(octets: Uint8Array): Uint8Array {
  let bare = 0;
  for (let at = 0; at < octets.length; at++) if (octets[at] === LF && octets[at - 1] !== CR) bare++;
  if (bare === 0) return octets;
  const out = new Uint8Array(octets.length + bare);
  let to = 0;
  for (let at = 0; at < octets.length; at++) {
    if (octets[at] === LF && octets[at - 1] !== CR) out[to++] = CR;
    out[to++] = octets[at]!;
  }
  return out;
}

/** With LF for each CRLF. */
export function withLf(octets: Uint8Array): Uint8Array {
  const out = new Uint8Array(octets.length);
  let to = 0;
  for (let at = 0; at < octets.length; at++) {
    if (octets[at] === CR && octets[at + 1] === LF) continue;
    out[to++] = octets[at]!;
  }
  return out.subarray(0, to);
}
