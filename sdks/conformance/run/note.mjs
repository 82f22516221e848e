import { createHash, generateKeyPairSync, sign } from 'node:crypto';

/** The algorithm byte of an Ed25519 key in a note. */
const ED25519 = 1;

/** A log's key, and checkpoints that it signs: of the shape of a signed note, with any size and root. */
export function makeLog(origin) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.concat([
    Buffer.of(ED25519),
    publicKey.export({ type: 'spki', format: 'der' }).subarray(-32),
  ]);
  const id = createHash('sha256').update(`${origin}\n`).update(raw).digest().subarray(0, 4);
  return {
    vkey: `${origin}+${id.toString('hex')}+${raw.toString('base64')}`,
    checkpoint(size, root) {
      const text = `${origin}\n${size}\n${createHash('sha256').update(root).digest('base64')}\n`;
      const signature = Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]);
      return `${text}\n— ${origin} ${signature.toString('base64')}\n`;
    },
  };
}
