/** From what is stored of a message to the entries of its bundle: which file holds what is decided here and nowhere else. */
import { type Bundle, withSums } from './bundle.ts';
import { type Sha256, toHex, utf8 } from './bytes.ts';
import { parseCheckpointText } from './checkpoint.ts';
import { parseDeliveryManifest } from './delivery.ts';
import { EvidenceError } from './errors.ts';
import { parseMessageManifest } from './manifest.ts';
import { parseNote, signatureOf } from './note.ts';
import { formatOpenings, type Openings } from './openings.ts';
import { formatTrustPolicy, type TrustPolicy } from './policy.ts';
import { renewalName } from './renewal.ts';
import { certificateToPem, openTimeStamp } from './timestamp/parse.ts';
import type { TimeStampFacts } from './timestamp/policy.ts';
import { formatTlogProof, type TlogProof } from './tlog-proof.ts';
import type { VerifierKey } from './verifier-key.ts';
import { partEntry } from './verify-content.ts';
import { type BundleGuide, type LeafGuide, type StampGuide, verifyMd } from './verify-md.ts';

/** A time-stamp and what its verification said. */
export type StoredStamp = {
  token: Uint8Array;
  facts: Pick<TimeStampFacts, 'profile' | 'development' | 'genTime' | 'certificates'>;
};

export type StoredDelivery = {
  manifest: Uint8Array;
  proof: TlogProof;
  /** Absent once erased; the contents then are too. */
  openings?: Uint8Array;
  transcript?: Uint8Array;
  dsn?: Uint8Array;
  constancia?: StoredStamp;
};

/** `list`: the text that was stamped, if it was not the sums themselves. */
export type StoredRenewal = StoredStamp & { sums: string; list?: string };

/** `message`, `submission`, `parts` (by index): just what `openings` opens. `revocation`: by file name, such as `root.crl`. */
export type StoredEvidence = {
  manifest: Uint8Array;
  openings: Openings;
  message?: Uint8Array;
  submission?: Uint8Array;
  parts?: ReadonlyMap<number, Uint8Array>;
  proof: TlogProof;
  constancia: StoredStamp;
  messageConstancia?: StoredStamp;
  renewals?: readonly StoredRenewal[];
  revocation?: ReadonlyMap<string, Uint8Array>;
  deliveries?: readonly StoredDelivery[];
  policy: TrustPolicy;
  report?: Uint8Array;
};

/** The whole bundle, VERIFY.md and SHA256SUMS included. Throws EvidenceError for parts that do not belong together. */
export function assembleBundle(evidence: StoredEvidence, sha256: Sha256): Bundle {
  const manifest = parseMessageManifest(evidence.manifest);
  const key = evidence.policy.logKeys.find(({ name }) => name === manifest.log);
  if (key === undefined) throw new EvidenceError('policy', 'has no key of the log that the manifest names');
  const entries = new Map<string, Uint8Array>();
  const leaf = leafGuide('manifest.json', 'proof.tlog-proof', evidence.proof, key);
  entries.set('manifest.json', evidence.manifest);
  entries.set('openings.json', formatOpenings(evidence.openings));
  addContent(entries, evidence);
  entries.set('proof.tlog-proof', utf8(formatTlogProof(evidence.proof)));
  entries.set('checkpoint.txt', utf8(leaf.checkpointText));
  entries.set('policy.json', formatTrustPolicy(evidence.policy));
  if (evidence.report !== undefined) entries.set('report.pdf', evidence.report);
  for (const [name, bytes] of evidence.revocation ?? []) entries.set(`revocation/${name}`, bytes);
  const guide: BundleGuide = {
    messageId: manifest.message_id,
    canonicalHash: toHex(sha256(evidence.manifest)),
    log: manifest.log,
    logPublicKey: key.publicKey,
    openings: evidence.openings,
    leaf,
    constancia: addStamp(entries, evidence.constancia, 'constancia.tsr', 'chain/constancia.pem'),
    ...(evidence.messageConstancia && {
      messageConstancia: addStamp(
        entries,
        evidence.messageConstancia,
        'message-constancia.tsr',
        'chain/message-constancia.pem',
      ),
    }),
    renewals: addRenewals(entries, evidence),
    revocation: [...(evidence.revocation?.keys() ?? [])].map((name) => `revocation/${name}`),
    deliveries: (evidence.deliveries ?? []).map((delivery, i) => addDelivery(entries, delivery, i + 1, key)),
  };
  return withSums(entries.set('VERIFY.md', utf8(verifyMd(guide, sha256))), sha256);
}

function addContent(entries: Map<string, Uint8Array>, { message, submission, parts }: StoredEvidence): void {
  if (message !== undefined) entries.set('message.eml', message);
  if (submission !== undefined) entries.set('submission.bin', submission);
  for (const [index, content] of parts ?? []) entries.set(partEntry(index), content);
}

function addStamp(
  entries: Map<string, Uint8Array>,
  stamp: StoredStamp,
  token: string,
  chain: string,
): StampGuide {
  const { profile, development, genTime, certificates } = stamp.facts;
  entries.set(token, stamp.token);
  entries.set(chain, utf8(certificates.map(certificateToPem).join('')));
  const bare = openTimeStamp(stamp.token).status === null;
  return { profile, development, genTime, token, chain, bare };
}

function addRenewals(entries: Map<string, Uint8Array>, evidence: StoredEvidence): BundleGuide['renewals'] {
  return (evidence.renewals ?? []).map((renewal, i) => {
    const number = renewalName(i + 1);
    const sums = `renewal/${number}.sums`;
    entries.set(sums, utf8(renewal.sums));
    const list = `renewal/${number}.list`;
    if (renewal.list !== undefined) entries.set(list, utf8(renewal.list));
    const stamp = addStamp(entries, renewal, `renewal/${number}.tsr`, `chain/renewal-${number}.pem`);
    return { sums, stamp, ...(renewal.list !== undefined && { list }) };
  });
}

function addDelivery(
  entries: Map<string, Uint8Array>,
  delivery: StoredDelivery,
  ordinal: number,
  key: VerifierKey,
): BundleGuide['deliveries'][number] {
  const { kind, source } = parseDeliveryManifest(delivery.manifest);
  const number = String(ordinal).padStart(2, '0');
  const base = `delivery/${number}-${kind}`;
  const { openings, transcript, dsn, constancia } = delivery;
  entries.set(`${base}.json`, delivery.manifest);
  entries.set(`${base}.tlog-proof`, utf8(formatTlogProof(delivery.proof)));
  if (openings !== undefined) entries.set(`${base}.openings.json`, openings);
  if (transcript !== undefined) entries.set(`${base}.transcript.json`, transcript);
  if (dsn !== undefined) entries.set(`${base}.dsn.eml`, dsn);
  const leaf = leafGuide(`${base}.json`, `${base}.tlog-proof`, delivery.proof, key);
  if (constancia === undefined) return { kind, source, leaf };
  const stamp = addStamp(entries, constancia, `${base}.tsr`, `chain/delivery-${number}.pem`);
  return { kind, source, leaf, stamp };
}

function leafGuide(entry: string, proofEntry: string, proof: TlogProof, key: VerifierKey): LeafGuide {
  const note = parseNote(utf8(proof.checkpointNote));
  const { size } = parseCheckpointText(note.text);
  const { signature } = signatureOf(note, key);
  return { entry, proofEntry, proof, checkpointText: note.text, size, signature };
}
