/**
 * Verifies a proof bundle offline, from its bytes and a trust policy alone, in this order: the bundle, the
 * message, the log, the time-stamp, the outcomes, and the verdict.
 */
import {
  assertNothingStray,
  assertSums,
  type Bundle,
  looksLikeBundle,
  readBundle,
  requireEntry,
} from './bundle.ts';
import { issuedIn } from './bundle-entries.ts';
import { decodeUtf8, equalBytes, type Sha256, toHex, utf8 } from './bytes.ts';
import { type Check, Checklist } from './checks.ts';
import { type Digest, withDigests } from './digests.ts';
import { bundleGuide } from './guide.ts';
import { type Json, parseCanonical } from './jcs.ts';
import { type MessageManifest, parseMessageManifest } from './manifest.ts';
import { type MessageFacts, messageFacts } from './message-facts.ts';
import type { VerifyMldsa44 } from './mldsa44.ts';
import type { ContentState, Openings } from './openings.ts';
import { namesOnly, readTrustPolicy, type TrustPolicy } from './policy.ts';
import type { TimeStampFacts } from './timestamp/policy.ts';
import type { RevocationData } from './timestamp/revocation.ts';
import { judge, type Reason, type Verdict } from './verdict.ts';
import { type VerifyEd25519, verifyEd25519 } from './verifier-key.ts';
import { checkContent } from './verify-content.ts';
import type { Verifying } from './verify-context.ts';
import { checkDeliveries, type DeliveryFinding } from './verify-delivery.ts';
import type { EmlReport } from './verify-eml.ts';
import { checkLogEnd, type LogEndFacts } from './verify-end.ts';
import { checkLine, type LineFacts, type Warning } from './verify-line.ts';
import { checkLeaf, checkStampedText, checkWitnesses, type LoggedLeaf } from './verify-log.ts';
import { verifyMd } from './verify-md.ts';
import { secondSignatures } from './verify-mldsa44.ts';
import { checkNothingIdle, revocationBook } from './verify-revocation.ts';
import {
  checkConstancia,
  checkMessageConstancia,
  newestLink,
  timeFacts,
  timeOfToken,
} from './verify-time.ts';
import { requireWebCrypto } from './web-crypto.ts';

/**
 * `now`: by the reader's clock. `trust`: pinned by the verifier; without it the bundle's own policy is
 * believed, and the report says so; 'bundle': that, and knowingly. `own`: of the service that the reader
 * asks; a bundle that names nobody else has the reader's keys.
 * `eml`: a message as received. `at`: when the chain of the newest time-stamp must hold still, as a rule now;
 * without it an end of that chain is only told of. `ends`: what logs signed of their ends (/log/end); those
 * of other logs are passed over. `ed25519`: verifyEd25519 when absent; `mldsa44`: loaded when absent and
 * needed. `revocation`: what authorities say by now, beside what the bundle holds. `digest`: takes the large
 * contents where it is quicker than `sha256`.
 */
export type VerifyOptions = {
  sha256: Sha256;
  digest?: Digest;
  now: Date;
  ed25519?: VerifyEd25519;
  mldsa44?: VerifyMldsa44;
  trust?: TrustPolicy | 'bundle';
  own?: TrustPolicy;
  eml?: Uint8Array;
  at?: Date;
  ends?: readonly string[];
  revocation?: readonly RevocationData[];
};

/** Hashes in hex, times RFC 3339. Each fact stands only if the checks that it rests on held. */
export type VerifiedFacts = LogEndFacts &
  LineFacts & {
    log?: string;
    message_id?: string;
    tenant_id?: string;
    tenant_sequence?: string;
    /** As the operator says. */
    accepted_at?: string;
    canonical_hash?: string;
    content?: ContentState;
    message?: MessageFacts;
    leaf_index?: number;
    tree_size?: number;
    merkle_root?: string;
    /** Operators of witnesses that cosigned, and how many of them the policy asks for. */
    witnesses?: number;
    witness_quorum?: number;
    /** The constancia's genTime. */
    sealed_at?: string;
    profile?: 'development' | 'rfc3161' | 'nom151';
    issuer?: string;
    /** SHA-256 of the certificate that the constancia's chain ends in, which is what was trusted. */
    root_sha256?: string;
    policy_oid?: string;
    serial_number?: string;
    /** genTime of the newest renewal of the constancia. */
    renewed_at?: string;
    /** When the first certificate ends in the chain of that renewal, or of the constancia. */
    covered_until?: string;
    /** The constancia over this message alone. */
    message_sealed_at?: string;
    delivery?: DeliveryFinding[];
    /** The owner of the keys; `own`: the service that was asked. */
    trust?: 'pinned' | 'own' | 'bundle';
  };

/**
 * Files in a bundle for people, which are not part of the proof. `remade`: the same text came out when it was
 * made again from the evidence; false: another; null: it cannot be made again here.
 */
export type UnprovenDocument = {
  name: string;
  remade: boolean | null;
  detail: string;
};

/** `stamps`: what each time-stamp that held says, by entry name. */
export type Verification = {
  /** True if all checks of the bundle hold. Says nothing about a received copy; `eml` does. */
  valid: boolean;
  verdict: Verdict;
  /** Why it is not `verified`, the weightiest first. */
  reasons: Reason[];
  /** False for a file that is something else: it is not evidence at all, valid or not. */
  is_bundle: boolean;
  documents: UnprovenDocument[];
  checks: Check[];
  /** Oddities that break no check; looked for once all checks hold. */
  warnings: Warning[];
  facts: VerifiedFacts;
  stamps: ReadonlyMap<string, TimeStampFacts>;
  eml: EmlReport | null;
};

/** Whatever the bytes, the answer is a report: no bytes make it throw. */
export async function verifyBundle(bytes: Uint8Array, options: VerifyOptions): Promise<Verification> {
  const list = new Checklist();
  const bundle = list.run('bundle', () => {
    const value = readBundle(bytes);
    return { value, detail: `${value.size} entries` };
  });
  if (bundle === undefined) {
    const nothing = { documents: [], warnings: [], facts: {}, stamps: new Map(), eml: null };
    return finished({ is_bundle: looksLikeBundle(bytes), checks: list.checks, ...nothing }, options);
  }
  return verifyEntries(bundle, options, list);
}

/** The same for a bundle whose entries are at hand. */
export async function verifyEntries(
  bundle: Bundle,
  given: VerifyOptions,
  list = new Checklist(),
): Promise<Verification> {
  requireWebCrypto();
  const sha256 = await withDigests(given.sha256, given.digest, bundle.values());
  const options = { ...given, sha256 };
  const { eml } = options;
  const facts: VerifiedFacts = {};
  const stamps = new Map<string, TimeStampFacts>();
  const warnings: Warning[] = [];
  const documents = unprovenDocuments(bundle, sha256);
  const said = { is_bundle: true, documents, checks: list.checks, warnings, facts, stamps };
  checkEntries(list, bundle, sha256);
  const policy = checkTrust(list, bundle, facts, options);
  const message = checkManifest(list, bundle, facts, sha256);
  if (message === undefined || policy === undefined) {
    for (const name of ['openings', 'checkpoint', 'timestamp', 'delivery'])
      list.skip(name, 'manifest or trust');
    const report = eml === undefined ? null : (await copies()).notComparable(NOTHING_TO_COMPARE);
    return finished({ ...said, eml: report }, options);
  }
  const own = facts.trust === 'own' ? options.own : undefined;
  const second = await secondSignatures(policy, own, options.mldsa44);
  const context = contextOf({ list, bundle, policy, stamps, ...second }, message.manifest, options);
  const openings = await checkMessage(context, message, facts, warnings);
  const report = eml === undefined ? null : await compareCopy(context, eml, message.manifest, openings);
  return finished({ ...said, eml: report }, options);
}

/** With what a reader may take it to mean. */
function finished(
  found: Omit<Verification, 'valid' | 'verdict' | 'reasons'>,
  { trust }: VerifyOptions,
): Verification {
  const { checks, facts, stamps } = found;
  const development = [...stamps.values()].some((stamp) => stamp.development);
  const acceptsBundleKeys = trust === 'bundle';
  const { verdict, reasons } = judge({ checks, facts, development, acceptsBundleKeys });
  return { valid: checks.every(({ ok }) => ok), verdict, reasons, ...found };
}

function contextOf(
  of: Pick<Verifying, 'list' | 'bundle' | 'policy' | 'stamps' | 'mldsa44Keys' | 'mldsa44'>,
  manifest: MessageManifest,
  { sha256, digest, now, ed25519 = verifyEd25519, at, ends = [], revocation }: VerifyOptions,
): Verifying {
  const end = of.bundle.get('log-end.note');
  return {
    ...of,
    sha256,
    digest,
    ed25519,
    at,
    now,
    revocation: revocationBook(of.bundle, revocation),
    revokedLater: [],
    ends: end === undefined ? ends : [...ends, decodeUtf8(end) ?? ''],
    shown: [],
    cosigned: [],
    acceptedAt: new Date(manifest.accepted_at),
  };
}

/** The steps: content, log, time-stamp, outcomes, consistency. */
async function checkMessage(
  context: Verifying,
  { manifest, hash }: SealedManifest,
  facts: VerifiedFacts,
  warnings: Warning[],
): Promise<Openings | undefined> {
  const { list, bundle } = context;
  const before = list.checks.length;
  const openings = await checkContent(context, manifest, toHex(hash));
  if (openings !== undefined) {
    facts.content = openings.content;
    if (list.checks.slice(before).every(({ ok }) => ok))
      facts.message = messageFacts(openings, bundle.get('message.eml'));
  }
  const leaf = checkLog(context, manifest, hash, facts);
  await checkTime(context, hash, leaf, facts);
  const outcomes = await checkDeliveries(context, manifest, toHex(hash), openings?.envelope.rcpt_to?.value);
  facts.delivery = outcomes;
  if (leaf !== undefined && list.ok) {
    const of = { manifest, canonicalHash: hash, messageIndex: leaf.leafIndex, openings, outcomes };
    const line = checkLine(context, of);
    Object.assign(facts, line.facts);
    warnings.push(...line.warnings);
  }
  Object.assign(
    facts,
    checkLogEnd(
      context,
      manifest.log,
      outcomes.map((each) => each.occurred_at),
    ),
  );
  checkNothingIdle(context);
  return openings;
}

const NOTHING_TO_COMPARE = 'the bundle is not valid: there is nothing to compare a copy with';

function unprovenDocuments(bundle: Bundle, sha256: Sha256): UnprovenDocument[] {
  const remade = isRemade(bundle, sha256);
  const guide: UnprovenDocument = {
    name: 'VERIFY.md',
    remade,
    detail: remade
      ? 'is not part of the proof; it is the text that this version writes from the evidence'
      : 'is not part of the proof and differs from the text that this version writes from the evidence (another version may have written it): do not run its commands unless you trust its source',
  };
  const report: UnprovenDocument = {
    name: 'report.pdf',
    remade: null,
    detail:
      'is not part of the proof, is not signed and was not compared with the evidence. Where the two differ, believe the evidence',
  };
  return [
    guide,
    ...(bundle.has('report.pdf') ? [report] : []),
    ...issuedIn(bundle).map((name) => ({ name, remade: null, detail: ISSUED })),
  ];
}

const ISSUED =
  'is not part of the proof: by the word of the operator, it is what the authority issued beside its time-stamp. It was not read; the time-stamp alone counts';

function isRemade(bundle: Bundle, sha256: Sha256): boolean {
  try {
    const text = verifyMd(bundleGuide(bundle, sha256));
    return equalBytes(requireEntry(bundle, 'VERIFY.md', 'documents'), utf8(text));
  } catch {
    // Entries that no guide can be made from fail a check of their own.
    return false;
  }
}

function checkEntries(list: Checklist, bundle: Bundle, sha256: Sha256): void {
  list.run('sums', () => {
    assertSums(bundle, sha256);
    return { value: true, detail: 'SHA256SUMS matches every entry' };
  });
  list.run('entries', () => {
    assertNothingStray(bundle);
    return { value: true, detail: 'every entry belongs to a step of this verification' };
  });
}

function checkTrust(
  list: Checklist,
  bundle: Bundle,
  facts: VerifiedFacts,
  { sha256, trust, own }: VerifyOptions,
): TrustPolicy | undefined {
  return list.run('trust', () => {
    const policy: Json = parseCanonical(requireEntry(bundle, 'policy.json', 'trust'), 'trust');
    const stated = readTrustPolicy(policy, sha256);
    if (trust !== undefined && trust !== 'bundle') {
      facts.trust = 'pinned';
      return { value: trust, detail: 'log key, authorities and witnesses are those that you pinned' };
    }
    facts.trust = own !== undefined && namesOnly(stated, own) ? 'own' : 'bundle';
    const detail =
      facts.trust === 'own'
        ? "the bundle's own policy.json names the log, the authorities and the witnesses of this service alone"
        : "the bundle's own policy.json is trusted; to rely on no part of the bundle, pin your own with --trust";
    return { value: stated, detail };
  });
}

type SealedManifest = { manifest: MessageManifest; hash: Uint8Array };

function checkManifest(
  list: Checklist,
  bundle: Bundle,
  facts: VerifiedFacts,
  sha256: Sha256,
): SealedManifest | undefined {
  const message = list.run('manifest', () => {
    const bytes = requireEntry(bundle, 'manifest.json', 'manifest');
    const value = { manifest: parseMessageManifest(bytes), hash: sha256(bytes) };
    return { value, detail: `canonical, of the hash ${toHex(value.hash)}` };
  });
  if (message !== undefined) {
    const { log, message_id, tenant_id, tenant_sequence, accepted_at } = message.manifest;
    const canonical_hash = toHex(message.hash);
    Object.assign(facts, { log, message_id, tenant_id, tenant_sequence, accepted_at, canonical_hash });
  }
  return message;
}

function checkLog(
  context: Verifying,
  manifest: MessageManifest,
  hash: Uint8Array,
  facts: VerifiedFacts,
): LoggedLeaf | undefined {
  const names = { checkpoint: 'checkpoint', inclusion: 'inclusion' };
  const bytes = context.bundle.get('proof.tlog-proof') ?? new Uint8Array();
  const at = timeOfToken(context, 'constancia.tsr');
  const leaf = checkLeaf(context, names, { bytes, origin: manifest.log, at }, hash);
  if (leaf === undefined) {
    context.list.skip('witness', 'checkpoint or inclusion');
    return undefined;
  }
  const { size, rootHash } = leaf.checkpoint;
  Object.assign(facts, { leaf_index: leaf.leafIndex, tree_size: size, merkle_root: toHex(rootHash) });
  const witnesses = checkWitnesses(context, 'witness', leaf.note, at);
  if (witnesses !== undefined) {
    facts.witnesses = witnesses;
    facts.witness_quorum = context.policy.witnessQuorum;
  }
  return leaf;
}

async function checkTime(
  context: Verifying,
  hash: Uint8Array,
  leaf: LoggedLeaf | undefined,
  facts: VerifiedFacts,
): Promise<void> {
  const { list } = context;
  const stamped = leaf && checkStampedText(context, leaf.note);
  if (stamped === undefined) list.skip('timestamp', 'checkpoint');
  const time = stamped && (await checkConstancia(context, stamped));
  if (time !== undefined)
    Object.assign(facts, timeFacts(time, newestLink(context)), {
      root_sha256: toHex(context.sha256(time.certificates.at(-1)!)),
    });
  const own = await checkMessageConstancia(context, hash);
  if (own !== undefined) facts.message_sealed_at = own.genTime;
}

/** Loaded only when there is a copy to compare. */
const copies = () => import('./verify-eml.ts');

/** Beside the checks of the bundle, which holds whatever somebody received. */
async function compareCopy(
  { list, bundle, sha256 }: Verifying,
  eml: Uint8Array,
  manifest: MessageManifest,
  openings: Openings | undefined,
): Promise<EmlReport> {
  const { compareEml, notComparable } = await copies();
  if (!list.ok || openings === undefined) return notComparable(NOTHING_TO_COMPARE);
  return compareEml(eml, { manifest, openings, message: bundle.get('message.eml') }, sha256);
}
