import { createHash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { concat } from '@acuse/evidence/bytes';
import { L1_HEADERS } from '@acuse/evidence/layers';
import {
  type RawHeader,
  relaxedBody,
  relaxedField,
  relaxedHeader,
  splitMessage,
} from '@acuse/evidence/relaxed';
import { type DkimAlgorithm, dkimPublicKey, fitsDkimAlgorithm } from './dkim-keys.ts';
import { readDomainName } from './domain-name.ts';
import { foldedHeader } from './header-write.ts';

/**
 * In the thread pool: a signature of RSA-2048 takes half a millisecond that the event loop does not spend.
 */
const signInPool = promisify(sign) as (
  algorithm: string | null,
  data: Uint8Array,
  key: KeyObject,
) => Promise<Buffer>;

/**
 * One-click unsubscribing (RFC 8058 §4) and feedback loops (RFC 9477 §3.1.4) count on these: nobody may put
 * one in that is not ours.
 */
const ALSO_OVERSIGNED = [
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Feedback-ID',
  'CFBL-Address',
  'CFBL-Feedback-ID',
] as const;

/** Characters of base64 on each line of a signature. */
const SIGNATURE_LINE_CHARS = 72;

/** Characters of `h=` on each line. */
const NAME_RUN_MAX_CHARS = 74;

const SELECTOR = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** A message made ready once for all its signers. */
export type Signable = {
  /** The fields to sign, relaxed, in the order of `names`. */
  fields: Uint8Array;
  /** The value of `h=`. */
  names: readonly string[];
  bodyHash: string;
};

export type DkimSigner = {
  domain: string;
  selector: string;
  algorithm: DkimAlgorithm;
  /** The `p=` of the DNS record. */
  publicKey: string;
  /**
   * The whole `DKIM-Signature` field with its CRLF, folded to 76 characters; `signedAtMs` is cut to seconds.
   */
  sign(message: Signable, signedAtMs: number): Promise<string>;
};

export type DkimSignerOptions = {
  domain: string;
  selector: string;
  algorithm: DkimAlgorithm;
  privateKey: KeyObject;
};

/**
 * A signer that keeps its key: parsing one costs more than signing. Throws TypeError for a key or name that
 * does not fit. RFC 6376 §5
 */
export function createDkimSigner({ domain, selector, algorithm, privateKey }: DkimSignerOptions): DkimSigner {
  if (readDomainName(domain) !== domain) throw new TypeError('a DKIM domain is a host name in A-labels');
  if (!SELECTOR.test(selector)) throw new TypeError('a DKIM selector is one label');
  if (privateKey.type !== 'private' || !fitsDkimAlgorithm(privateKey, algorithm)) {
    throw new TypeError(`the key cannot sign with ${algorithm}`);
  }
  const fixedTags = ['v=1;', `a=${algorithm};`, 'c=relaxed/relaxed;', `d=${domain};`, `s=${selector};`];
  return {
    domain,
    selector,
    algorithm,
    publicKey: dkimPublicKey(privateKey),
    async sign(message, signedAtMs) {
      const time = `t=${Math.floor(signedAtMs / 1000)};`;
      const tokens = [...fixedTags, time, ...nameTokens(message.names), `bh=${message.bodyHash};`, 'b='];
      const unsigned = foldedHeader('DKIM-Signature', tokens).slice(0, -'\r\n'.length);
      const own = relaxedHeader('DKIM-Signature', unsigned.slice('DKIM-Signature:'.length));
      const data = concat(message.fields, Buffer.from(own));
      const signature = await signData(algorithm, data, privateKey);
      return `${unsigned}${folded(signature.toString('base64'))}\r\n`;
    },
  };
}

/**
 * Everything that signers share, so that several cost one body hash. The message is what compose gives. RFC
 * 6376 §3.7
 */
export function prepareSigning(raw: Uint8Array): Signable {
  const { headers, body } = splitMessage(raw);
  const byName = groupByName(headers);
  const names: string[] = [];
  const fields: Uint8Array[] = [];
  const take = (name: string) => {
    const present = byName.get(name.toLowerCase()) ?? [];
    // Bottom up, as verifiers count. RFC 6376 §5.4.2
    for (let i = present.length - 1; i >= 0; i--) fields.push(relaxedField(present[i]!));
    for (let i = 0; i < present.length + 1; i++) names.push(name);
  };
  // Signed once more than they occur, so that none can be added later. RFC 6376 §8.15
  for (const name of [...L1_HEADERS, ...ALSO_OVERSIGNED]) take(name);
  const bodyHash = createHash('sha256').update(relaxedBody(body)).digest('base64');
  return { fields: concat(...fields), names, bodyHash };
}

/** The signatures of all signers, one field after the other, to be put in front of the message. */
export async function dkimSignatures(
  signers: readonly DkimSigner[],
  raw: Uint8Array,
  signedAtMs: number,
): Promise<Uint8Array> {
  return signaturesOf(signers, prepareSigning(raw), signedAtMs);
}

/** As dkimSignatures, of a message that was made ready before. */
export async function signaturesOf(
  signers: readonly DkimSigner[],
  message: Signable,
  signedAtMs: number,
): Promise<Uint8Array> {
  const fields = await Promise.all(signers.map((signer) => signer.sign(message, signedAtMs)));
  return Buffer.from(fields.join(''));
}

function groupByName(headers: readonly RawHeader[]): Map<string, RawHeader[]> {
  const byName = new Map<string, RawHeader[]>();
  for (const header of headers) {
    const name = header.name.toLowerCase();
    const list = byName.get(name);
    if (list === undefined) byName.set(name, [header]);
    else list.push(header);
  }
  return byName;
}

/**
 * `h=From:From:To:…;` in runs that each fit on a line, for it can be folded after any colon. RFC 6376 §3.5
 */
function nameTokens(names: readonly string[]): string[] {
  const tokens: string[] = [];
  let run = 'h=';
  for (const [i, name] of names.entries()) {
    const piece = `${name}${i < names.length - 1 ? ':' : ';'}`;
    if (run.length + piece.length > NAME_RUN_MAX_CHARS) {
      tokens.push(run);
      run = '';
    }
    run += piece;
  }
  return [...tokens, run];
}

/** Ed25519 signs the SHA-256 of what RSA would sign. RFC 8463 §3 */
function signData(algorithm: DkimAlgorithm, data: Uint8Array, key: KeyObject): Promise<Buffer> {
  if (algorithm === 'rsa-sha256') return signInPool('sha256', data, key);
  return signInPool(null, createHash('sha256').update(data).digest(), key);
}

/**
 * Folded before each line of base64; `b=` stands at the end of a line then, which takes white space after it.
 */
function folded(base64: string): string {
  let out = '';
  for (let at = 0; at < base64.length; at += SIGNATURE_LINE_CHARS) {
    out += `\r\n ${base64.slice(at, at + SIGNATURE_LINE_CHARS)}`;
  }
  return out;
}
