/**
 * DANE for SMTP: checking what a server showed against its TLSA records. Pure; validation of the records is
 * the resolver's. RFC 7672, RFC 6698
 */
import { createHash, X509Certificate } from 'node:crypto';
import type { TlsaRecord } from './dns-message.ts';
import type { Lookup } from './resolver.ts';

const USAGE = { trustAnchor: 2, endEntity: 3 } as const;
const SELECTOR = { certificate: 0, publicKey: 1 } as const;
/** Records read in one answer. */
const MAX_RECORDS = 50;

/** The name of a host's TLSA records for SMTP. RFC 7672 §2.2.3 */
export function tlsaName(host: string, port = 25): string {
  return `_${port}._tcp.${host}`;
}

/**
 * The demand of a TLSA look-up. `none`: nothing is published, or not validly; `encrypt`: TLS without
 * authentication, all records being of kinds that SMTP does not use; `authenticate`: these records; `defer`:
 * the answer is withheld, which an attacker can do, so that it must not be taken for an absence. RFC 7672
 * §2.1, §2.2
 */
export type DaneDemand =
  | { readonly kind: 'none' | 'encrypt' }
  | { readonly kind: 'authenticate'; readonly records: readonly TlsaRecord[] }
  | { readonly kind: 'defer'; readonly detail: string };

/**
 * `hostAuthenticated`: the host's address records, and the MX that led there, were validated; without it DANE
 * does not apply.
 */
export function daneDemand(tlsa: Lookup<TlsaRecord>, hostAuthenticated: boolean): DaneDemand {
  if (!hostAuthenticated) return { kind: 'none' };
  if (tlsa.kind === 'servfail' || tlsa.kind === 'timeout') return { kind: 'defer', detail: tlsa.detail };
  if (tlsa.kind !== 'found' || !tlsa.authenticated) return { kind: 'none' };
  const records = tlsa.records.filter(isUsable).slice(0, MAX_RECORDS);
  return records.length === 0 ? { kind: 'encrypt' } : { kind: 'authenticate', records };
}

/**
 * RFC 7672 §3.1.3: usages 0 and 1 are not for SMTP; unknown selectors and digests, and digests of a wrong
 * length, are useless.
 */
function isUsable({ usage, selector, matching, data }: TlsaRecord): boolean {
  if (usage !== USAGE.trustAnchor && usage !== USAGE.endEntity) return false;
  if (selector !== SELECTOR.certificate && selector !== SELECTOR.publicKey) return false;
  if (matching === 0) return data.length > 0;
  return (matching === 1 && data.length === 32) || (matching === 2 && data.length === 64);
}

export interface DanePeer {
  /** DER certificates as shown, the leaf first. */
  readonly chain: readonly Uint8Array[];
  /**
   * The leaf must have one of these names for usage 2: the host, and the domain where its MX was validated.
   * RFC 7672 §3.2.2
   */
  readonly names: readonly string[];
  readonly now: Date;
}

/** Null if a record matches, else why none does. A malformed certificate matches nothing. */
export function verifyDane(records: readonly TlsaRecord[], peer: DanePeer): string | null {
  const chain = readChain(peer.chain);
  const leaf = chain[0];
  if (leaf === undefined) return 'the server showed no certificate that can be read';
  let problem = 'no TLSA record matches the certificate';
  for (const record of records) {
    // Usage 3: neither name nor date nor issuer matter, the DNS vouches for this very key. RFC 7672 §3.1.1
    if (record.usage === USAGE.endEntity && matches(record, leaf)) return null;
    if (record.usage !== USAGE.trustAnchor) continue;
    const at = chain.findIndex((certificate) => matches(record, certificate));
    if (at === -1) continue;
    const fault = pathFault(chain.slice(0, at + 1), peer);
    if (fault === null) return null;
    problem = fault;
  }
  return problem;
}

function readChain(chain: readonly Uint8Array[]): X509Certificate[] {
  try {
    return chain.map((der) => new X509Certificate(der));
  } catch {
    return [];
  }
}

function matches({ selector, matching, data }: TlsaRecord, certificate: X509Certificate): boolean {
  const content =
    selector === SELECTOR.certificate
      ? certificate.raw
      : certificate.publicKey.export({ type: 'spki', format: 'der' });
  if (matching === 0) return Buffer.compare(content, data) === 0;
  const digest = createHash(matching === 1 ? 'sha256' : 'sha512')
    .update(content)
    .digest();
  return Buffer.compare(digest, data) === 0;
}

/** The fault of the path from the leaf to the trust anchor that the DNS names; null: none. */
function pathFault(path: readonly X509Certificate[], peer: DanePeer): string | null {
  const [leaf] = path;
  if (!peer.names.some((name) => leaf!.checkHost(name, { wildcards: true }) !== undefined)) {
    return `the certificate is not for ${peer.names.join(' or ')}`;
  }
  for (const [i, certificate] of path.entries()) {
    const from = Date.parse(certificate.validFrom);
    const to = Date.parse(certificate.validTo);
    const now = peer.now.getTime();
    if (!(from <= now && now <= to)) return 'a certificate of the chain is not valid now';
    const issuer = path[i + 1];
    if (issuer === undefined) continue;
    if (!issuer.ca || !certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
      return 'the chain does not lead to the trust anchor';
    }
  }
  return null;
}
