/** Builds a bundle's entries from stored data: the only place that assigns files. */
import { type Bundle, withEntry, withSums } from './bundle.ts';
import { type Sha256, utf8 } from './bytes.ts';
import { parseDeliveryManifest } from './delivery.ts';
import { bundleGuide } from './guide.ts';
import { parseNote } from './note.ts';
import { formatOpenings, type Openings } from './openings.ts';
import { formatTrustPolicy, type TrustPolicy } from './policy.ts';
import { renewalName } from './renewal.ts';
import { certificateToPem } from './timestamp/parse.ts';
import type { TimeStampFacts } from './timestamp/policy.ts';
import { formatTlogProof, type TlogProof } from './tlog-proof.ts';
import { partEntry } from './verify-content.ts';
import { verifyMd } from './verify-md.ts';

/** With the facts of its verification. */
export type StoredStamp = {
  token: Uint8Array;
  facts: Pick<TimeStampFacts, 'profile' | 'development' | 'genTime' | 'certificates'>;
  /** The document that the authority issued with the token, as it came. */
  issued?: Uint8Array;
};

export type StoredDelivery = {
  manifest: Uint8Array;
  proof: TlogProof;
  /** Absent once erased, like the contents. */
  openings?: Uint8Array;
  transcript?: Uint8Array;
  dsn?: Uint8Array;
  constancia?: StoredStamp;
};

/** `list`: the text that was stamped, if it was not the sums themselves. */
export type StoredRenewal = StoredStamp & { sums: string; list?: string };

/** Only what `openings` opens; `parts` by index. `revocation`: by file name, such as `root.crl`. */
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
  /** For proofs in trees of several sizes. */
  history?: string;
  /** Absent in older bundles. */
  outcomesNote?: string;
  /** The ended log's statement: its successor signs the count. */
  logEnd?: string;
  policy: TrustPolicy;
  report?: Uint8Array;
};

/**
 * The whole bundle, VERIFY.md and SHA256SUMS included. Throws EvidenceError for parts that do not belong
 * together.
 */
export function assembleBundle(evidence: StoredEvidence, sha256: Sha256): Bundle {
  const entries = new Map<string, Uint8Array>();
  entries.set('manifest.json', evidence.manifest);
  entries.set('openings.json', formatOpenings(evidence.openings));
  addContent(entries, evidence);
  entries.set('proof.tlog-proof', utf8(formatTlogProof(evidence.proof)));
  entries.set('checkpoint.txt', utf8(parseNote(utf8(evidence.proof.checkpointNote)).text));
  addText(entries, 'history.txt', evidence.history);
  addText(entries, 'outcomes.note', evidence.outcomesNote);
  addText(entries, 'log-end.note', evidence.logEnd);
  entries.set('policy.json', formatTrustPolicy(evidence.policy));
  if (evidence.report !== undefined) entries.set('report.pdf', evidence.report);
  for (const [name, bytes] of evidence.revocation ?? []) entries.set(`revocation/${name}`, bytes);
  addStamp(entries, evidence.constancia, 'constancia.tsr', 'constancia');
  if (evidence.messageConstancia !== undefined)
    addStamp(entries, evidence.messageConstancia, 'message-constancia.tsr', 'message-constancia');
  for (const [i, renewal] of (evidence.renewals ?? []).entries()) addRenewal(entries, renewal, i + 1);
  for (const [i, delivery] of (evidence.deliveries ?? []).entries()) addDelivery(entries, delivery, i + 1);
  const summed = withSums(entries, sha256);
  return withEntry(summed, 'VERIFY.md', utf8(verifyMd(bundleGuide(summed, sha256))), sha256);
}

function addContent(entries: Map<string, Uint8Array>, { message, submission, parts }: StoredEvidence): void {
  if (message !== undefined) entries.set('message.eml', message);
  if (submission !== undefined) entries.set('submission.bin', submission);
  for (const [index, content] of parts ?? []) entries.set(partEntry(index), content);
}

function addText(entries: Map<string, Uint8Array>, name: string, text: string | undefined): void {
  if (text !== undefined) entries.set(name, utf8(text));
}

function addStamp(entries: Map<string, Uint8Array>, stamp: StoredStamp, token: string, name: string): void {
  entries.set(token, stamp.token);
  entries.set(`chain/${name}.pem`, utf8(stamp.facts.certificates.map(certificateToPem).join('')));
  if (stamp.issued !== undefined) entries.set(`issued/${name}.bin`, stamp.issued);
}

function addRenewal(entries: Map<string, Uint8Array>, renewal: StoredRenewal, ordinal: number): void {
  const number = renewalName(ordinal);
  entries.set(`renewal/${number}.sums`, utf8(renewal.sums));
  if (renewal.list !== undefined) entries.set(`renewal/${number}.list`, utf8(renewal.list));
  addStamp(entries, renewal, `renewal/${number}.tsr`, `renewal-${number}`);
}

function addDelivery(entries: Map<string, Uint8Array>, delivery: StoredDelivery, ordinal: number): void {
  const { kind } = parseDeliveryManifest(delivery.manifest);
  const number = String(ordinal).padStart(2, '0');
  const base = `delivery/${number}-${kind}`;
  const { openings, transcript, dsn, constancia } = delivery;
  entries.set(`${base}.json`, delivery.manifest);
  entries.set(`${base}.tlog-proof`, utf8(formatTlogProof(delivery.proof)));
  if (openings !== undefined) entries.set(`${base}.openings.json`, openings);
  if (transcript !== undefined) entries.set(`${base}.transcript.json`, transcript);
  if (dsn !== undefined) entries.set(`${base}.dsn.eml`, dsn);
  if (constancia !== undefined) addStamp(entries, constancia, `${base}.tsr`, `delivery-${number}`);
}
