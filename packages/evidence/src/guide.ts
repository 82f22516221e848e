/** Everything in VERIFY.md follows from the other entries, so that anybody can write it again. */

import { askKey } from './ask.ts';
import { type Bundle, evidenceLines, requireEntry } from './bundle.ts';
import { issuedIn } from './bundle-entries.ts';
import { decodeUtf8, equalBytes, type Sha256, toHex } from './bytes.ts';
import { parseCheckpointText } from './checkpoint.ts';
import { assertCosigned } from './cosignature.ts';
import { parseDeliveryManifest } from './delivery.ts';
import { parseDeliveryOpenings } from './delivery-openings.ts';
import { EvidenceError } from './errors.ts';
import { readHistory } from './history.ts';
import { jcsBytes, parseCanonical } from './jcs.ts';
import { openLogEnd } from './log-end.ts';
import { parseMessageManifest } from './manifest.ts';
import { consistencyProof } from './merkle.ts';
import { parseNote, signatureOf } from './note.ts';
import { parseOpenings } from './openings.ts';
import { readTrustPolicy, type TrustPolicy } from './policy.ts';
import { countRenewals, renewalName } from './renewal.ts';
import { certificatesFromPem, readCertificate } from './timestamp/certificate.ts';
import { DerError } from './timestamp/der.ts';
import { OID } from './timestamp/oids.ts';
import { openTimeStamp, readSignedData } from './timestamp/parse.ts';
import { readTstInfo } from './timestamp/tst-info.ts';
import { parseTlogProof } from './tlog-proof.ts';
import {
  COSIGNATURE_V1,
  ED25519_SIGNATURE_BYTES,
  formatVerifierKey,
  type VerifierKey,
  verifierKey,
} from './verifier-key.ts';
import type { BundleGuide, DeliveryGuide, LeafGuide, StampGuide } from './verify-md-guide.ts';

type Reading = { entries: Bundle; policy: TrustPolicy; key: VerifierKey; sha256: Sha256 };

/**
 * Nothing is verified here. Throws EvidenceError for entries that cannot be read or do not belong together.
 */
export function bundleGuide(entries: Bundle, sha256: Sha256): BundleGuide {
  const bytes = requireEntry(entries, 'manifest.json', 'manifest');
  const manifest = parseMessageManifest(bytes);
  const stated = parseCanonical(requireEntry(entries, 'policy.json', 'policy'), 'policy');
  const policy = readTrustPolicy(stated, sha256);
  const key = policy.logKeys.find(({ name }) => name === manifest.log);
  if (key === undefined) throw new EvidenceError('policy', 'has no key of the log that the manifest names');
  const reading = { entries, policy, key, sha256 };
  const own = 'message-constancia';
  return {
    messageId: manifest.message_id,
    canonicalHash: toHex(sha256(bytes)),
    evidence: evidenceLines(entries),
    askKey: askKey(requireEntry(entries, 'manifest.json', 'manifest'), sha256),
    log: manifest.log,
    logPublicKey: key.publicKey,
    logKey: formatVerifierKey(key),
    witnessKeys: policy.witnessKeys.map(formatVerifierKey),
    secondKeys: (policy.mldsa44Keys ?? []).filter(({ name }) => name === key.name).map(formatVerifierKey),
    openings: parseOpenings(requireEntry(entries, 'openings.json', 'openings')),
    leaf: leafGuide(reading, 'manifest.json', 'proof.tlog-proof'),
    constancia: stampGuide(reading, 'constancia.tsr', 'constancia'),
    ...(entries.has(`${own}.tsr`) && { messageConstancia: stampGuide(reading, `${own}.tsr`, own) }),
    renewals: renewalGuides(reading),
    revocation: [...entries.keys()].filter((name) => name.startsWith('revocation/')).sort(),
    issued: issuedIn(entries),
    deliveries: deliveryGuides(reading),
    ...orNull(() => countGuide(reading), { count: null }),
    ...orNull(() => historyGuide(entries), { history: null }),
  };
}

/** Malformed entries fail their own checks. */
function orNull<T>(read: () => T, unreadable: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof EvidenceError) return unreadable;
    throw error;
  }
}

/** The steps, each with as many hashes as it takes. */
function historyGuide(entries: Bundle): Pick<BundleGuide, 'history'> {
  if (!entries.has('history.txt')) return {};
  const steps = readHistory(requireEntry(entries, 'history.txt', 'history'));
  for (const { size, next, path } of steps)
    if (consistencyProof(size, next, () => new Uint8Array()).length !== path.length)
      throw new EvidenceError('history', 'a proof of consistency is of another length');
  return { history: steps };
}

/** Empty if nothing was counted. */
function countGuide({ entries, key, sha256 }: Reading): Pick<BundleGuide, 'count'> {
  if (!entries.has('outcomes.note')) return {};
  const note = parseNote(requireEntry(entries, 'outcomes.note', 'outcomes'));
  const endNote = entries.get('log-end.note');
  const signer = endNote === undefined ? key : openLogEnd(decodeUtf8(endNote) ?? '', key, sha256).successor;
  const cosigner = verifierKey(signer.name, signer.publicKey, sha256, COSIGNATURE_V1);
  const { withheld = [] } = parseOpenings(requireEntry(entries, 'openings.json', 'openings'));
  const count = {
    publicKey: signer.publicKey,
    signature: signatureOf(note, cosigner).signature.slice(-ED25519_SIGNATURE_BYTES),
    keyId: toHex(cosigner.keyId),
    asOf: assertCosigned(note, cosigner),
    entries: parseCheckpointText(note.text).size,
    withheld,
  };
  if (endNote === undefined) return { count };
  const end = parseNote(endNote);
  const of = (by: VerifierKey) => signatureOf(end, by).signature;
  return { count: { ...count, end: { own: of(key), successor: of(signer) } } };
}

function leafGuide({ entries, key }: Reading, entry: string, proofEntry: string): LeafGuide {
  const proof = parseTlogProof(requireEntry(entries, proofEntry, 'proof'));
  const note = parseNote(new TextEncoder().encode(proof.checkpointNote));
  const { size } = parseCheckpointText(note.text);
  const { signature } = signatureOf(note, key);
  return { entry, proofEntry, proof, checkpointText: note.text, size, signature };
}

function renewalGuides(reading: Reading): BundleGuide['renewals'] {
  return Array.from({ length: countRenewals(reading.entries) }, (_, i) => {
    const number = renewalName(i + 1);
    const list = `renewal/${number}.list`;
    return {
      sums: `renewal/${number}.sums`,
      stamp: stampGuide(reading, `renewal/${number}.tsr`, `renewal-${number}`),
      ...(reading.entries.has(list) && { list }),
    };
  });
}

function deliveryGuides(reading: Reading): BundleGuide['deliveries'] {
  const { entries } = reading;
  const names = [...entries.keys()].filter((name) => /^delivery\/[^.]+\.json$/.test(name)).sort();
  return names.map((name) => {
    const base = name.slice(0, -'.json'.length);
    const { kind, source } = parseDeliveryManifest(requireEntry(entries, name, 'delivery'));
    const leaf = leafGuide(reading, name, `${base}.tlog-proof`);
    const number = base.slice('delivery/'.length, 'delivery/NN'.length);
    const token = `${base}.tsr`;
    const openings = entries.get(`${base}.openings.json`);
    return {
      ...{ kind, source, leaf },
      ...(entries.has(token) && { stamp: stampGuide(reading, token, `delivery-${number}`) }),
      ...(openings && { shown: openedOutcome(openings, reading.sha256) }),
    };
  });
}

function openedOutcome(bytes: Uint8Array, sha256: Sha256): NonNullable<DeliveryGuide['shown']> {
  const { facts, transcript, dsn } = parseDeliveryOpenings(bytes);
  const hash = toHex(sha256(jcsBytes(facts.value)));
  return { facts: { salt: facts.salt, sha256: hash }, transcript, dsn };
}

function stampGuide({ entries, policy, sha256 }: Reading, token: string, name: string): StampGuide {
  const chain = `chain/${name}.pem`;
  const certificates = certificatesFromPem(decodeUtf8(requireEntry(entries, chain, 'chain')) ?? '');
  const [leaf, root] = [certificates[0], certificates.at(-1)];
  if (leaf === undefined || root === undefined) throw new EvidenceError('chain', `${chain} is empty`);
  try {
    const { status, token: signed } = openTimeStamp(requireEntry(entries, token, 'timestamp'));
    if (signed === null) throw new EvidenceError('timestamp', `${token} has no time-stamp`);
    const { genTime, policyOid } = readTstInfo(readSignedData(signed).content);
    const usage = readCertificate(leaf).extensions.extKeyUsage;
    const strict = usage?.critical === true && usage.oids.join() === OID.timeStamping;
    const profile = strict ? ('rfc3161' as const) : ('nom151' as const);
    const under = policy.timeStamps.filter(({ roots }) =>
      roots.some((pem) => certificatesFromPem(pem).some((pinned) => equalBytes(pinned, root))),
    );
    const authority = under.find((one) => one.profile === profile) ?? under[0];
    return {
      ...{ profile, token, chain, policyOid, bare: status === null, genTime: genTime.toISOString() },
      development: authority?.development === true,
      certificates: certificates.length,
      rootFingerprint: fingerprint(sha256(root)),
    };
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new EvidenceError('timestamp', `${token} cannot be read: ${error.detail}`, { cause: error });
  }
}

function fingerprint(hash: Uint8Array): string {
  return toHex(hash).toUpperCase().match(/../g)!.join(':');
}
