/**
 * From the signer to a pinned root: RFC 5280 §6 for a chain without policies to map.
 */
import { equalBytes } from '../bytes.ts';
import { type Certificate, KEY_USAGE, readCertificate } from './certificate.ts';
import { checkNames, checkPolicies } from './constraints.ts';
import { DerError } from './der.ts';
import type { Finding } from './report.ts';
import { verifySignature } from './signature.ts';

/** Certificates from signer to root, both counted; Mexican PSCs have three, public authorities up to four. */
const MAX_CHAIN_LENGTH = 8;
/** Signatures tried for one token: bounds the work of a set full of certificates of one name. */
const MAX_CHAIN_SIGNATURES = 48;

/** A chain, which may be out of date or misuse a certificate, or the reason why none was found. */
export type ChainSearch =
  | { readonly kind: 'found'; readonly path: readonly Certificate[] }
  | { readonly kind: 'none'; readonly reason: string };

/** The readable ones, each once; an unreadable certificate cannot help a chain. */
export function readableCertificates(ders: readonly Uint8Array[]): Certificate[] {
  const out: Certificate[] = [];
  for (const der of ders) {
    try {
      const certificate = readCertificate(der);
      if (!out.some((known) => equalBytes(known.der, certificate.der))) out.push(certificate);
    } catch (error) {
      if (!(error instanceof DerError)) throw error;
    }
  }
  return out;
}

/** The first chain that passes `acceptable`, or else the first that reaches a root at all. */
export async function findChain(
  signer: Certificate,
  candidates: readonly Certificate[],
  roots: readonly Certificate[],
  acceptable: (path: readonly Certificate[]) => boolean,
): Promise<ChainSearch> {
  const search = new Search(candidates, roots, acceptable);
  await search.extend([signer]);
  const path = search.accepted ?? search.reached;
  return path === undefined ? { kind: 'none', reason: search.reason(signer) } : { kind: 'found', path };
}

class Search {
  accepted: readonly Certificate[] | undefined;
  reached: readonly Certificate[] | undefined;
  readonly #candidates: readonly Certificate[];
  readonly #roots: readonly Certificate[];
  readonly #acceptable: (path: readonly Certificate[]) => boolean;
  #signaturesLeft = MAX_CHAIN_SIGNATURES;
  #deadEnd: string | undefined;

  constructor(
    candidates: readonly Certificate[],
    roots: readonly Certificate[],
    acceptable: (path: readonly Certificate[]) => boolean,
  ) {
    this.#candidates = candidates.filter((one) => !roots.some((root) => equalBytes(root.der, one.der)));
    this.#roots = roots;
    this.#acceptable = acceptable;
  }

  async extend(path: readonly Certificate[]): Promise<void> {
    const last = path.at(-1)!;
    const pinned = this.#roots.some((root) => equalBytes(root.der, last.der));
    const selfIssued = equalBytes(last.subjectDer, last.issuerDer);
    // Pinning a whole chain gives the longest one; pinning an authority in the middle is enough, too.
    if (!(pinned && selfIssued) && path.length < MAX_CHAIN_LENGTH) await this.#extendByIssuers(path, last);
    if (pinned) this.#arrive(path);
  }

  async #extendByIssuers(path: readonly Certificate[], last: Certificate): Promise<void> {
    const named = (issuer: Certificate): boolean =>
      equalBytes(issuer.subjectDer, last.issuerDer) && !path.some(({ der }) => equalBytes(der, issuer.der));
    const issuers = [...this.#roots.filter(named), ...this.#candidates.filter(named)];
    if (issuers.length === 0) this.#deadEnd ??= `no certificate found for ${JSON.stringify(last.issuer)}`;
    for (const issuer of issuers) {
      if (this.accepted !== undefined) return;
      if (await this.#signed(last, issuer)) await this.extend([...path, issuer]);
    }
  }

  async #signed(certificate: Certificate, issuer: Certificate): Promise<boolean> {
    const { signatureAlgorithm } = certificate;
    if (signatureAlgorithm.kind === 'refused') {
      this.#deadEnd ??= `${JSON.stringify(certificate.subject)}: ${signatureAlgorithm.reason}`;
    }
    if (issuer.publicKey.kind === 'refused') {
      this.#deadEnd ??= `${JSON.stringify(issuer.subject)}: ${issuer.publicKey.reason}`;
    }
    if (this.#signaturesLeft-- <= 0) {
      this.#deadEnd = `more than ${MAX_CHAIN_SIGNATURES} signatures to try`;
      return false;
    }
    const ok = await verifySignature(
      issuer.publicKey,
      signatureAlgorithm,
      certificate.tbs,
      certificate.signature,
    );
    if (!ok) {
      this.#deadEnd ??= `${JSON.stringify(certificate.subject)} is not signed by the certificate at hand for its issuer`;
    }
    return ok;
  }

  #arrive(path: readonly Certificate[]): void {
    this.reached ??= path;
    if (this.#acceptable(path)) this.accepted ??= path;
  }

  reason(signer: Certificate): string {
    return `${JSON.stringify(signer.subject)} does not lead to a pinned root: ${this.#deadEnd ?? 'the chain is too long'}`;
  }
}

/**
 * Each issuer must be a CA, may sign certificates, keeps to its path length, and allows the names and
 * policies below it. RFC 5280 §6.1.4 (k)–(n)
 */
export function checkAuthorities(path: readonly Certificate[]): Finding {
  for (const [i, issuer] of path.entries()) {
    if (i === 0) continue;
    const { basicConstraints, keyUsage } = issuer.extensions;
    const name = JSON.stringify(issuer.subject);
    if (basicConstraints?.ca !== true) return { ok: false, detail: `${name} is not a certificate authority` };
    if (keyUsage !== undefined && !keyUsage.has(KEY_USAGE.keyCertSign)) {
      return { ok: false, detail: `${name} may not sign certificates` };
    }
    const below = path
      .slice(1, i)
      .filter((certificate) => !equalBytes(certificate.issuerDer, certificate.subjectDer)).length;
    const limit = basicConstraints.pathLength;
    if (limit !== undefined && below > limit) {
      return { ok: false, detail: `${name} allows ${limit} authorities below it, there are ${below}` };
    }
  }
  const broken = [checkNames(path), checkPolicies(path)].find(({ ok }) => !ok);
  return broken ?? { ok: true, detail: `${path.length - 1} issuing authorities` };
}

/** RFC 5280 §4.2: a critical extension that is not understood refuses the certificate. */
export function checkCriticalExtensions(path: readonly Certificate[]): Finding {
  for (const certificate of path) {
    const [oid] = certificate.extensions.unknownCritical;
    if (oid !== undefined) {
      return { ok: false, detail: `${JSON.stringify(certificate.subject)}: critical extension ${oid}` };
    }
  }
  return { ok: true, detail: 'all critical extensions understood' };
}

/** Every certificate of the chain valid at one moment. */
export function checkValidity(path: readonly Certificate[], at: Date): Finding {
  for (const { subject, notBefore, notAfter } of path) {
    if (at >= notBefore && at <= notAfter) continue;
    const span = `${notBefore.toISOString()} to ${notAfter.toISOString()}`;
    return {
      ok: false,
      detail: `${JSON.stringify(subject)} is valid from ${span}, not at ${at.toISOString()}`,
    };
  }
  return { ok: true, detail: `every certificate valid at ${at.toISOString()}` };
}
