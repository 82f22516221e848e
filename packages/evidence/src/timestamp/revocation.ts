/**
 * Was a chain good when it stamped? Lists and answers gathered then are judged by the certificates
 * themselves: each must be signed by the issuer of the certificate that it is about or, for OCSP, by the
 * responder that the issuer delegated to.
 */
import { equalBytes, toHex } from '../bytes.ts';
import { type Certificate, KEY_USAGE, readCertificate } from './certificate.ts';
import { type ListWord, lookUp, type RevocationList, readCrl } from './crl.ts';
import { DerError } from './der.ts';
import { isAbout, type OcspAnswer, readOcsp, type SingleAnswer } from './ocsp.ts';
import { OID } from './oids.ts';
import type { Revoked } from './reasons.ts';
import { verifySignature } from './signature.ts';

export type RevocationKind = 'crl' | 'ocsp';

/** `name`: for reports. `given`: by the verifier, in addition to a bundle's. */
export type RevocationData = { name: string; kind: RevocationKind; bytes: Uint8Array; given?: boolean };

/**
 * `revoked`: before the stamp. `doubted`: later, for a reason that leaves the earlier time open. `unknown`:
 * no data for that time.
 */
export type Standing = 'good' | 'revoked' | 'doubted' | 'unknown';

/** `revoked`: with a standing of that kind, and with `doubted`. `by`: names of what says so. */
export type RevocationStatus = {
  certificate: Certificate;
  standing: Standing;
  revoked: Revoked | null;
  by: readonly string[];
};

/** The statement of one piece about one certificate at one time. */
type Word = { standing: 'good' } | { standing: 'revoked' | 'doubted'; revoked: Revoked } | null;

type Piece = {
  name: string;
  given: boolean;
  read:
    | { kind: 'crl'; list: RevocationList; known: Map<string, ListWord | DerError> }
    | { kind: 'ocsp'; answer: OcspAnswer }
    | { kind: 'bad'; reason: string };
  /** True if an issuer signed it: each signature is checked once. */
  vouched: Map<Certificate, Promise<boolean>>;
  used: boolean;
};

/** Pieces of revocation data, each read and checked once, however many chains are asked about. */
export class RevocationBook {
  readonly #pieces: readonly Piece[];

  constructor(data: readonly RevocationData[]) {
    this.#pieces = data.map(({ name, kind, bytes, given = false }) => ({
      name,
      given,
      read: readPiece(kind, bytes),
      vouched: new Map(),
      used: false,
    }));
  }

  get size(): number {
    return this.#pieces.length;
  }

  /** The state at a time of each certificate of a chain (DER, signer first) that has an issuer in it. */
  async statusOf(chain: readonly Uint8Array[], at: Date): Promise<RevocationStatus[]> {
    const path = chain.map(readCertificate);
    const out: RevocationStatus[] = [];
    for (const [i, certificate] of path.entries()) {
      const issuer = path[i + 1];
      if (issuer !== undefined) out.push(await this.#statusOf(certificate, issuer, at));
    }
    return out;
  }

  /** Pieces that say nothing about any of the certificates, and why. */
  idle(): { name: string; given: boolean; reason: string }[] {
    return this.#pieces
      .filter(({ used }) => !used)
      .map(({ name, given, read }) => ({
        name,
        given,
        reason:
          read.kind === 'bad'
            ? read.reason
            : 'does not concern any certificate of this bundle, or is not signed by an issuer that it trusts',
      }));
  }

  async #statusOf(certificate: Certificate, issuer: Certificate, at: Date): Promise<RevocationStatus> {
    const good: string[] = [];
    let worst: RevocationStatus | undefined;
    for (const piece of this.#pieces) {
      const word = await wordOf(piece, certificate, issuer, at);
      if (word === undefined) continue;
      piece.used = true;
      if (word?.standing === 'good') good.push(piece.name);
      else if (word !== null && (worst?.revoked == null || word.revoked.from < worst.revoked.from))
        worst = { certificate, ...word, by: [piece.name] };
    }
    const standing = good.length > 0 ? 'good' : 'unknown';
    return worst ?? { certificate, standing, revoked: null, by: good };
  }
}

function readPiece(kind: RevocationKind, bytes: Uint8Array): Piece['read'] {
  try {
    if (kind === 'ocsp') return { kind, answer: readOcsp(bytes) };
    return { kind, list: readCrl(bytes), known: new Map() };
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    return { kind: 'bad', reason: error.detail };
  }
}

/**
 * Undefined: the piece is not about this certificate, or its signature does not hold. Null: it is, but not
 * for this time.
 */
async function wordOf(
  piece: Piece,
  certificate: Certificate,
  issuer: Certificate,
  at: Date,
): Promise<Word | undefined> {
  const { read } = piece;
  if (read.kind === 'bad') return undefined;
  if (read.kind === 'crl') {
    if (!equalBytes(read.list.issuerDer, certificate.issuerDer)) return undefined;
    if (!(await vouches(piece, issuer, () => signedList(read.list, issuer)))) return undefined;
    const word = wordOfList(read, certificate, at);
    if (!(word instanceof DerError)) return word;
    piece.read = { kind: 'bad', reason: word.detail };
    return undefined;
  }
  const answer = await answerAbout(read.answer, certificate, issuer);
  if (answer === undefined) return undefined;
  if (!(await vouches(piece, issuer, () => signedAnswer(read.answer, issuer)))) return undefined;
  return wordOfAnswer(answer, at);
}

function vouches(piece: Piece, issuer: Certificate, check: () => Promise<boolean>): Promise<boolean> {
  const known = [...piece.vouched].find(([each]) => equalBytes(each.der, issuer.der))?.[1];
  if (known !== undefined) return known;
  const checked = check();
  piece.vouched.set(issuer, checked);
  return checked;
}

/** A list is searched once for each certificate. */
function wordOfList(
  { list, known }: Extract<Piece['read'], { kind: 'crl' }>,
  { serialNumber }: Certificate,
  at: Date,
): Word | DerError {
  const serial = toHex(serialNumber);
  const found = known.get(serial) ?? lookedUp(list, serialNumber);
  known.set(serial, found);
  if (found instanceof DerError) return found;
  return wordAt(found.revoked, found.understood && speaksFor(list, at), at);
}

function lookedUp(list: RevocationList, serialNumber: Uint8Array): ListWord | DerError {
  try {
    return lookUp(list, serialNumber);
  } catch (error) {
    if (error instanceof DerError) return error;
    throw error;
  }
}

function wordOfAnswer(answer: SingleAnswer, at: Date): Word {
  return answer.status === 'unknown' ? null : wordAt(answer.revoked, speaksFor(answer, at), at);
}

function wordAt(revoked: Revoked | null, speaks: boolean, at: Date): Word {
  if (revoked !== null && revoked.from <= at) return { standing: 'revoked', revoked };
  if (revoked !== null && revoked.reason?.goodBefore !== true) return { standing: 'doubted', revoked };
  return speaks ? { standing: 'good' } : null;
}

/**
 * A piece issued before a time applies to it until the next update was due; one issued after it applies in
 * any case. Such times have whole seconds, so the time in question is cut to its second.
 */
function speaksFor(
  { thisUpdate, nextUpdate }: { thisUpdate: Date; nextUpdate: Date | null },
  at: Date,
): boolean {
  const second = new Date(Math.floor(at.getTime() / 1000) * 1000);
  return thisUpdate >= second || (nextUpdate !== null && nextUpdate >= second);
}

async function answerAbout(
  { answers }: OcspAnswer,
  certificate: Certificate,
  issuer: Certificate,
): Promise<SingleAnswer | undefined> {
  for (const answer of answers) if (await isAbout(answer, certificate, issuer)) return answer;
  return undefined;
}

function signedList(list: RevocationList, issuer: Certificate): Promise<boolean> {
  const { keyUsage } = issuer.extensions;
  if (keyUsage !== undefined && !keyUsage.has(KEY_USAGE.crlSign)) return Promise.resolve(false);
  return verifySignature(issuer.publicKey, list.signatureAlgorithm, list.tbs, list.signature);
}

/**
 * By the issuer itself, or by a responder that it certified for this, at the time of the answer. RFC 6960
 * §4.2.2.2
 */
async function signedAnswer(answer: OcspAnswer, issuer: Certificate): Promise<boolean> {
  const signedBy = ({ publicKey }: Certificate) =>
    verifySignature(publicKey, answer.signatureAlgorithm, answer.tbs, answer.signature);
  if (await signedBy(issuer)) return true;
  for (const der of answer.certificates) {
    const responder = readable(der);
    if (responder === undefined || !mayRespond(responder, issuer, answer.producedAt)) continue;
    const { signatureAlgorithm, tbs, signature } = responder;
    if (!(await verifySignature(issuer.publicKey, signatureAlgorithm, tbs, signature))) continue;
    if (await signedBy(responder)) return true;
  }
  return false;
}

function readable(der: Uint8Array): Certificate | undefined {
  try {
    return readCertificate(der);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function mayRespond(responder: Certificate, issuer: Certificate, at: Date): boolean {
  return (
    equalBytes(responder.issuerDer, issuer.subjectDer) &&
    responder.extensions.extKeyUsage?.oids.includes(OID.ocspSigning) === true &&
    responder.extensions.unknownCritical.length === 0 &&
    at >= responder.notBefore &&
    at <= responder.notAfter
  );
}
