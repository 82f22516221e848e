import { createHash, generateKeyPairSync, sign } from 'node:crypto';

/** The algorithm bytes of Ed25519 keys in a note: of a log, and of a witness. */
const [ED25519, COSIGNATURE] = [1, 4];

/** A tile that is full has so many hashes. */
const TILE_WIDTH = 256;

/** A log's key, and checkpoints that it signs: of the shape of a signed note, with any size and root. */
export function makeLog(origin) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const keyOf = (type) => {
    const raw = Buffer.concat([Buffer.of(type), bytes]);
    const id = createHash('sha256').update(`${origin}\n`).update(raw).digest().subarray(0, 4);
    return { id, line: `${origin}+${id.toString('hex')}+${raw.toString('base64')}` };
  };
  const { id, line } = keyOf(ED25519);
  const signed = (text) => {
    const signature = Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]);
    return `${text}\n— ${origin} ${signature.toString('base64')}\n`;
  };
  return {
    vkey: line,
    /** The same key as a witness's. */
    witness: keyOf(COSIGNATURE).line,
    /** To include what has this hash until then (Unix seconds). */
    promise: (hash, deadline) =>
      signed(`acuse/promise/v1\n${origin}\n${hash.toString('base64')}\n${deadline}\n`),
    /** `root`: 32 bytes, or a text that stands for some. */
    checkpoint(size, root) {
      const hash = typeof root === 'string' ? sha256(root) : root;
      return signed(`${origin}\n${size}\n${hash.toString('base64')}\n`);
    },
  };
}

/**
 * The tree of contract/vectors/tiles.json, of any size: `root(size)`, and the bytes of a tile by its path.
 * `other`: the entry that is another one.
 */
export function makeTree(other = -1) {
  // RFC 6962 §2.1
  function hash(start, end) {
    const size = end - start;
    if (size === 1) return sha256(ZERO, start === other ? sha256('another') : entry(start));
    let half = 1;
    while (2 * half < size) half *= 2;
    return sha256(ONE, hash(start, start + half), hash(start + half, end));
  }
  return {
    root: (size) => hash(0, size),
    tile(path) {
      const [, level, index, width = TILE_WIDTH] = /^tile\/(\d)\/(\d{3})(?:\.p\/(\d+))?$/.exec(path);
      const each = TILE_WIDTH ** level;
      const first = Number(index) * TILE_WIDTH;
      const hashes = Array.from({ length: Number(width) }, (_, at) =>
        hash((first + at) * each, (first + at + 1) * each),
      );
      return Buffer.concat(hashes);
    },
  };
}

/** The hash that is leaf `index` of that tree. */
export const entry = (index) => sha256(`entry ${index}`);

const ZERO = Buffer.of(0);
const ONE = Buffer.of(1);

function sha256(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
