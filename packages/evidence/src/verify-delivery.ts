/** The outcomes of a message, leaf by leaf, each chained to the one before it. */
import { type Bundle, requireEntry } from './bundle.ts';
import { type Sha256, toHex, utf8 } from './bytes.ts';
import { parseDeliveryManifest } from './delivery.ts';
import type { DeliveryFacts, DeliverySource } from './delivery-facts.ts';
import type { DeliveryKind } from './delivery-kinds.ts';
import { assertDeliveryOpens, type DeliveryOpenings, parseDeliveryOpenings } from './delivery-openings.ts';
import { EvidenceError } from './errors.ts';
import type { MessageManifest } from './manifest.ts';
import type { Verifying } from './verify-context.ts';
import { checkLeaf, checkWitnesses } from './verify-log.ts';
import { assertReply } from './verify-reply.ts';
import { checkDeliveryConstancia, timeOfToken } from './verify-time.ts';

/** Outcomes of one message; two is much. */
export const MAX_DELIVERIES = 32;

/**
 * The log's proof and, where `facts` are opened, the operator's statement. Null: closed, or not stamped in
 * this bundle.
 */
export type DeliveryFinding = {
  kind: DeliveryKind;
  source: DeliverySource;
  occurred_at: string;
  attempt: number;
  canonical_hash: string;
  leaf_index: number;
  sealed_at: string | null;
  facts: DeliveryFacts | null;
};

/** The source of the leaf's statement. */
const SAID: Record<DeliverySource, string> = {
  session: 'as the operator says that a server answered',
  operator: 'as the operator says of itself',
  reported_by_mail: 'as the operator says that a mail reported',
  recipient_page: 'as the operator says that somebody who reads this mailbox confirmed',
};

type Leaf = { base: string; number: string };

/**
 * Adds `delivery.NN…` for each outcome in the bundle. `recipient`: undefined if it is not opened. Returns the
 * valid ones.
 */
export async function checkDeliveries(
  context: Verifying,
  manifest: MessageManifest,
  canonicalHash: string,
  recipient: string | undefined,
): Promise<DeliveryFinding[]> {
  const { list, bundle } = context;
  const leaves = list.run('delivery', () => {
    const value = deliveryLeaves(bundle);
    const counted = value.length === 1 ? '1 outcome' : `${value.length} outcomes`;
    return { value, detail: value.length === 0 ? 'no outcome in this bundle' : counted };
  });
  const findings: DeliveryFinding[] = [];
  let previous: string | undefined = canonicalHash;
  for (const leaf of leaves ?? []) {
    if (previous === undefined) {
      list.skip(`delivery.${leaf.number}`, 'the outcome before it');
      continue;
    }
    const finding = await checkDelivery(context, leaf, manifest, { canonicalHash, previous, recipient });
    if (finding !== undefined) findings.push(finding);
    previous = finding?.canonical_hash;
  }
  return findings;
}

/** Numbered from 01 without a gap, every file of one belonging to the kind that its manifest's name says. */
function deliveryLeaves(bundle: Bundle): Leaf[] {
  const names = [...bundle.keys()].filter((name) => name.startsWith('delivery/'));
  const bases = [...new Set(names.map((name) => name.slice(0, name.indexOf('.'))))].sort();
  if (bases.length > MAX_DELIVERIES)
    throw new EvidenceError('delivery', `more than ${MAX_DELIVERIES} outcomes`);
  return bases.map((base, i) => {
    const number = String(i + 1).padStart(2, '0');
    if (!base.startsWith(`delivery/${number}-`))
      throw new EvidenceError('delivery', `outcome ${number} is missing`);
    return { base, number };
  });
}

async function checkDelivery(
  context: Verifying,
  { base, number }: Leaf,
  message: MessageManifest,
  chain: { canonicalHash: string; previous: string; recipient: string | undefined },
): Promise<DeliveryFinding | undefined> {
  const { list, bundle, sha256 } = context;
  const check = `delivery.${number}`;
  const read = list.run(check, () => {
    const bytes = requireEntry(bundle, `${base}.json`, check);
    const manifest = parseDeliveryManifest(bytes);
    assertChained(manifest, message, chain, base);
    const hash = sha256(bytes);
    const opened = openDelivery(bundle, base, manifest, toHex(hash), sha256);
    const value = { manifest, hash, opened };
    const closed = opened === null ? '; what was answered is not opened here' : '';
    const detail = `${manifest.kind} at ${manifest.occurred_at}, ${SAID[manifest.source]}${closed}`;
    return { value, detail };
  });
  if (read === undefined) return undefined;
  const { manifest, hash, opened } = read;
  if (opened !== null && !(await checkReply(context, { base, number }, opened, message, chain.recipient)))
    return undefined;
  const names = { checkpoint: `${check}.checkpoint`, inclusion: `${check}.inclusion` };
  const token = `${base}.tsr`;
  const at = timeOfToken(context, token);
  const bytes = bundle.get(`${base}.tlog-proof`) ?? new Uint8Array();
  const logged = checkLeaf(context, names, { bytes, origin: message.log, at }, hash);
  if (logged === undefined || checkWitnesses(context, `${check}.witness`, logged.note, at) === undefined)
    return undefined;
  const stamped = bundle.has(token);
  const stamp = { check: `${check}.timestamp`, token, chain: `chain/delivery-${number}.pem` };
  const time = stamped
    ? await checkDeliveryConstancia(context, stamp, sha256(utf8(logged.note.text)))
    : undefined;
  if (stamped && time === undefined) return undefined;
  return {
    kind: manifest.kind,
    source: manifest.source,
    occurred_at: manifest.occurred_at,
    attempt: manifest.attempt,
    canonical_hash: toHex(hash),
    leaf_index: logged.leafIndex,
    sealed_at: time?.genTime ?? null,
    facts: opened?.facts.value ?? null,
  };
}

/** Adds `delivery.NN.reply` where the recipient acknowledged by mail. False: it does not hold. */
async function checkReply(
  { list, bundle, sha256 }: Verifying,
  { base, number }: Leaf,
  { facts, dsn }: DeliveryOpenings,
  { message_id: messageId }: MessageManifest,
  recipient: string | undefined,
): Promise<boolean> {
  const { acknowledgement: act, reported_by_mail: mail } = facts.value;
  if (act === undefined || !('dkim' in act)) return true;
  const { dkim } = act;
  const check = `delivery.${number}.reply`;
  const held = await list.runAsync(check, async () => {
    if (mail?.sha256 !== dsn?.sha256) throw new EvidenceError(check, 'the mail is not kept as it came');
    const bytes = requireEntry(bundle, `${base}.dsn.eml`, check);
    await assertReply({ bytes, messageId, recipient, dkim }, sha256);
    const by = `${dkim.domain} (${dkim.selector}, ${dkim.algorithm})`;
    const detail = `a mail from the recipient, signed by ${by} under the key that the operator says it had published`;
    return { value: true, detail };
  });
  return held === true;
}

function assertChained(
  manifest: ReturnType<typeof parseDeliveryManifest>,
  message: MessageManifest,
  { canonicalHash, previous }: { canonicalHash: string; previous: string },
  base: string,
): void {
  if (manifest.log !== message.log || manifest.message_id !== message.message_id)
    throw new EvidenceError('delivery', 'belongs to another message or log');
  if (manifest.message_canonical_hash !== canonicalHash)
    throw new EvidenceError('delivery', 'belongs to another manifest');
  if (manifest.previous !== previous)
    throw new EvidenceError('delivery', 'does not follow the outcome before it');
  if (!base.endsWith(`-${manifest.kind}`))
    throw new EvidenceError('delivery', 'is of another kind than its name says');
  if (manifest.kind === 'unanswered') assertTimeRanOut(manifest.occurred_at, message.acknowledgement);
}

/** Both times are the operator's own word, so that no clock excuses a difference. */
function assertTimeRanOut(at: string, asked: MessageManifest['acknowledgement']): void {
  if (asked === undefined) throw new EvidenceError('delivery', 'answers what the message did not ask for');
  if (Date.parse(at) < Date.parse(asked.until))
    throw new EvidenceError('delivery', `at ${at} the recipient had until ${asked.until} to answer`);
}

/** The openings, if the bundle has them; then the contents must be there too, and match. */
function openDelivery(
  bundle: Bundle,
  base: string,
  manifest: ReturnType<typeof parseDeliveryManifest>,
  canonicalHash: string,
  sha256: Sha256,
): DeliveryOpenings | null {
  const bytes = bundle.get(`${base}.openings.json`);
  const openings = bytes === undefined ? null : parseDeliveryOpenings(bytes);
  if (openings !== null) assertDeliveryOpens(openings, manifest, canonicalHash, sha256);
  const contents = { transcript: `${base}.transcript.json`, dsn: `${base}.dsn.eml` };
  for (const label of ['transcript', 'dsn'] as const) {
    const opening = openings?.[label] ?? null;
    const content = bundle.get(contents[label]);
    if ((opening === null) !== (content === undefined))
      throw new EvidenceError('delivery', `the ${label} and its opening do not match`);
    if (opening !== null && toHex(sha256(content!)) !== opening.sha256)
      throw new EvidenceError('delivery', `the ${label} is another one`);
  }
  return openings;
}
