/**
 * Ed25519 keys under which anybody signs anything: of small order, or written in a second way. RFC 8032
 * §5.1.7 with strict decoding refuses them; most libraries do not.
 */
import { createHash, randomBytes } from 'node:crypto';
import { concat, fromHex, toHex, utf8 } from '@acuse/evidence/bytes';
import type { Signer } from '@acuse/evidence/note';
import { ed25519 } from '@noble/curves/ed25519.js';
import { logSigner } from './authority.ts';

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
/** A point of order 8 needs one try in eight, on average. */
const TRIES_MAX = 1_000;
/** Cofactors of all points of small order divide it. */
const SMALL_ORDER_MAX = 8n;

/** The y-coordinates of all points of small order, and p and p + 1, which spell 0 and 1 again. */
const WEAK_Y = [
  ['y = 0, order 4', '0000000000000000000000000000000000000000000000000000000000000000'],
  ['y = 1, the identity', '0100000000000000000000000000000000000000000000000000000000000000'],
  ['order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
  ['order 8, the other y', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
  ['y = p - 1, order 2', 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
  ['y = p, a second spelling of 0', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
  ['y = p + 1, a second spelling of 1', 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
] as const;

/** Both signs of x of each: what a verifier must refuse, whatever the signature. */
export const WEAK_KEYS: ReadonlyMap<string, Uint8Array> = new Map(
  WEAK_Y.flatMap(([what, hex]) => {
    const key = fromHex(hex)!;
    const negative = Uint8Array.from(key, (byte, at) => (at === 31 ? byte | 0x80 : byte));
    return [
      [what, key],
      [`${what}, x negative`, negative],
    ] as const;
  }),
);

/** Signs under such a key: R = S·B, and an S for which the key's part of the equation vanishes. */
export function weakSigner(name: string, publicKey: Uint8Array): Signer {
  return {
    name,
    publicKey,
    sign(message) {
      for (let scalar = 1n; scalar <= TRIES_MAX; scalar++) {
        const r = ed25519.Point.BASE.multiply(scalar).toBytes();
        if (hashOf(r, publicKey, message) % SMALL_ORDER_MAX === 0n) return concat(r, littleEndian(scalar));
      }
      throw new Error('no signature under a key of small order');
    },
  };
}

const ORDER_8 = ed25519.Point.fromHex(WEAK_Y[2][1]);

/**
 * A signature with a point of order 8 added to R or to the key: it holds by the equation times eight, which
 * the rules ask for, and as a rule not by the one without.
 */
export function twistedSignature(
  twisted: 'R' | 'key',
  message: Uint8Array,
): { signature: Uint8Array; publicKey: Uint8Array } {
  const [secret, nonce] = [randomBytes(32), randomBytes(32)].map((bytes) => modulo(bytes));
  const bytesOf = (scalar: bigint, what: typeof twisted) => {
    const point = ed25519.Point.BASE.multiply(scalar);
    return (what === twisted ? point.add(ORDER_8) : point).toBytes();
  };
  const publicKey = bytesOf(secret!, 'key');
  const r = bytesOf(nonce!, 'R');
  const s = (nonce! + hashOf(r, publicKey, message) * secret!) % ORDER;
  return { signature: concat(r, littleEndian(s)), publicKey };
}

/** H(R ‖ A ‖ M) modulo the order of the base point, as verifiers reduce it. */
function hashOf(r: Uint8Array, publicKey: Uint8Array, message: Uint8Array): bigint {
  const digest = createHash('sha512').update(r).update(publicKey).update(message).digest();
  return modulo(digest);
}

/** Bytes of a number, the lowest first, modulo the order of the base point. */
function modulo(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`) % ORDER;
}

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, at) => Number((value >> (8n * BigInt(at))) & 0xffn));
}

/** ed25519.json. */
export function ed25519Vectors(): object {
  const message = utf8('log.example/acuse\n');
  const signature = logSigner.sign(message);
  const key = logSigner.publicKey;
  const s = BigInt(`0x${toHex(Uint8Array.from(signature.subarray(32)).reverse())}`);
  const of = (why: string, publicKey: Uint8Array, signed: Uint8Array, valid = false) => ({
    valid,
    why,
    public_key: toHex(publicKey),
    message: toHex(message),
    signature: toHex(signed),
  });
  return {
    cases: [
      of('as it is', key, signature, true),
      of('S and the order of the group: a second spelling', key, withS(signature, s + ORDER)),
      of('S is 0', key, withS(signature, 0n)),
      of('cut short', key, signature.subarray(0, 63)),
      of('a byte more', key, concat(signature, Uint8Array.of(0))),
      of('no bytes', key, new Uint8Array(0)),
      of('a key of 31 bytes', key.subarray(0, 31), signature),
      of('a key that is no point', fromHex(`02${'00'.repeat(31)}`)!, signature),
      ...[...WEAK_KEYS].map(([why, weak]) => of(`the key: ${why}`, weak, weakSigner('', weak).sign(message))),
    ],
  };
}

const withS = (signature: Uint8Array, s: bigint) => concat(signature.subarray(0, 32), littleEndian(s));
