/** Consistency of the whole: outcomes complete, one log, times in order. Checked last. */
import { fromHex, toHex } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { assertHistory, distinctTrees } from './history.ts';
import { openLogEnd } from './log-end.ts';
import type { MessageManifest } from './manifest.ts';
import type { Openings } from './openings.ts';
import { assertCountedMldsa44, openOutcomes, outcomesOrigin, outcomesRoot } from './outcomes-note.ts';
import type { PinnedKey } from './policy.ts';
import { countRenewals, renewalName } from './renewal.ts';
import type { VerifierKey } from './verifier-key.ts';
import { CLOCK_TOLERANCE_MS, DAY_MS, type Verifying } from './verify-context.ts';
import { type DeliveryFinding, MAX_DELIVERIES } from './verify-delivery.ts';
import { requiredOfCounter } from './verify-mldsa44.ts';
import { isWithin } from './window.ts';

/** A count older than this may have grown since (ms). */
const OLD_COUNT_MS = 30 * DAY_MS;

/** Odd but harmless. Each name once. */
export type Warning = { name: WarningName; detail: string };
export type WarningName =
  | 'clock'
  | 'sealed_late'
  | 'occurred_order'
  | 'outcome_unstamped'
  | 'outcomes_old'
  | 'revoked_later'
  | 'revocation_not_used';

/** `outcomes_as_of` and `outcomes_withheld` are absent if nothing says how many outcomes there were. */
export type LineFacts = {
  /** When the log signed how many outcomes it knew. */
  outcomes_as_of?: string;
  /** Hidden here. */
  outcomes_withheld?: number;
  /** `one`: all trees in this bundle are proven to be one log. */
  history?: 'one' | 'not_shown';
};

export type Line = {
  manifest: MessageManifest;
  canonicalHash: Uint8Array;
  messageIndex: number;
  openings: Openings | undefined;
  outcomes: readonly DeliveryFinding[];
};

/** Adds `outcomes` (if a note counts them), `history`, `order` and `times`. */
export function checkLine(context: Verifying, line: Line): { facts: LineFacts; warnings: Warning[] } {
  const facts: LineFacts = {};
  const asOf = checkOutcomes(context, line, facts);
  checkHistory(context, facts);
  checkOrder(context, line);
  const warnings = checkTimes(context, line, asOf);
  return { facts, warnings };
}

/** When the outcomes were counted, if that is said and holds. */
function checkOutcomes(context: Verifying, line: Line, facts: LineFacts): Date | undefined {
  const { list, bundle, sha256, ed25519 } = context;
  const bytes = bundle.get('outcomes.note');
  const end = bundle.get('log-end.note');
  const withheld = line.openings?.withheld ?? [];
  if (bytes === undefined && end === undefined && withheld.length === 0) return undefined;
  return list.run('outcomes', () => {
    if (bytes === undefined)
      throw new EvidenceError('outcomes', 'outcomes.note is missing, and something here rests on it');
    const { manifest, canonicalHash, outcomes } = line;
    const origin = outcomesOrigin(manifest.log, toHex(canonicalHash));
    const keys = context.policy.logKeys.filter(({ name }) => name === manifest.log);
    const successor = end === undefined ? [] : [successorOf(end, keys, context)];
    const note = openOutcomes(bytes, origin, [...keys, ...successor], sha256, ed25519);
    const asOf = new Date(note.asOf * 1000);
    for (const key of requiredOfCounter(context, manifest.log, note.key.name, asOf))
      assertCountedMldsa44(note.note, note.asOf, key, context.mldsa44);
    if (outcomes.length + withheld.length > MAX_DELIVERIES)
      throw new EvidenceError('outcomes', `more than ${MAX_DELIVERIES} outcomes`);
    const entries = [
      canonicalHash,
      ...outcomes.map(({ canonical_hash }) => fromHex(canonical_hash)!),
      ...withheld.map((hash) => fromHex(hash)!),
    ];
    const counted = `on ${asOf.toISOString()} the operator signed ${countOf(note.count)}`;
    if (note.count !== entries.length - 1)
      throw new EvidenceError('outcomes', `${counted}; ${entries.length - 1} are here`);
    if (toHex(outcomesRoot(entries, sha256)) !== toHex(note.rootHash))
      throw new EvidenceError('outcomes', `${counted}; those here are others`);
    facts.outcomes_as_of = asOf.toISOString();
    facts.outcomes_withheld = withheld.length;
    const shown = withheld.length === 0 ? 'all are here' : `${withheld.length} of them are withheld`;
    return { value: asOf, detail: `${counted}; ${shown}` };
  });
}

const countOf = (count: number): string => (count === 1 ? '1 outcome' : `${count} outcomes`);

/** The key of the succeeding log. Throws EvidenceError unless a trusted key of the log named it. */
function successorOf(end: Uint8Array, keys: readonly PinnedKey[], { sha256 }: Verifying): VerifierKey {
  const note = new TextDecoder().decode(end);
  let reason: unknown;
  for (const key of keys) {
    try {
      const { endedAt, successor } = openLogEnd(note, key, sha256);
      if (isWithin(key, endedAt)) return successor;
    } catch (error) {
      reason = error;
    }
  }
  throw new EvidenceError('outcomes', 'log-end.note is not the end of this log, signed by a trusted key', {
    cause: reason,
  });
}

function checkHistory({ list, bundle, shown, sha256 }: Verifying, facts: LineFacts): void {
  list.run('history', () => {
    const trees = distinctTrees(shown);
    const bytes = bundle.get('history.txt');
    const sizes = trees.map(({ size }) => size).join(', ');
    if (trees.length === 1 && bytes !== undefined)
      throw new EvidenceError('history', 'history.txt is there, and every proof is of one tree');
    if (trees.length > 1 && bytes === undefined) {
      facts.history = 'not_shown';
      return { value: true, detail: `nothing here shows the trees of ${sizes} leaves to be one log` };
    }
    if (bytes !== undefined) assertHistory(bytes, trees, sha256);
    facts.history = 'one';
    const detail = bytes === undefined ? `one tree of ${sizes} leaves` : `one log at ${sizes} leaves`;
    return { value: true, detail };
  });
}

function checkOrder({ list }: Verifying, { messageIndex, outcomes }: Line): void {
  list.run('order', () => {
    const indexes = [messageIndex, ...outcomes.map(({ leaf_index }) => leaf_index)];
    const at = indexes.findIndex((index, i) => i > 0 && index <= indexes[i - 1]!);
    if (at > 0)
      throw new EvidenceError(
        'order',
        `outcome ${at} is leaf ${indexes[at]} of the log, and what it follows is leaf ${indexes[at - 1]}`,
      );
    return { value: true, detail: `leaves ${indexes.join(', ')}, in this order` };
  });
}

/** A time that a bundle states: milliseconds since 1970, and what it belongs to. */
type Stated = { what: string; ms: number };

/** `size`: of the tree that was stamped; undefined: the message alone. */
type Stamped = Stated & { size: number | undefined };

function checkTimes(context: Verifying, line: Line, asOf: Date | undefined): Warning[] {
  const { list, now, shown, stamps } = context;
  const { manifest, outcomes } = line;
  const accepted: Stated = { what: 'accepted', ms: Date.parse(manifest.accepted_at) };
  const occurred = outcomes.map(({ occurred_at, leaf_index }, i) => ({
    what: `outcome ${i + 1}`,
    ms: Date.parse(occurred_at),
    leaf_index,
  }));
  const stampOf = (name: string): number | undefined => {
    const facts = stamps.get(name);
    return facts && Date.parse(facts.genTime);
  };
  const sealed: Stamped = { what: 'sealed', ms: stampOf('constancia.tsr')!, size: shown[0]!.size };
  const own = stampOf('message-constancia.tsr');
  const stamped: Stamped[] = [
    sealed,
    ...(own === undefined ? [] : [{ what: "the message's own time-stamp", ms: own, size: undefined }]),
    ...outcomes.flatMap(({ sealed_at }, i) =>
      sealed_at === null
        ? []
        : [{ what: `outcome ${i + 1} sealed`, ms: Date.parse(sealed_at), size: shown[i + 1]!.size }],
    ),
  ];
  const renewed = Array.from({ length: countRenewals(context.bundle) }, (_, i) => ({
    what: `renewal ${renewalName(i + 1)}`,
    ms: stampOf(`renewal/${renewalName(i + 1)}.tsr`)!,
  }));
  const counted = asOf === undefined ? [] : [{ what: 'outcomes counted', ms: asOf.getTime() }];
  const all: Stated[] = [accepted, ...occurred, ...stamped, ...renewed, ...counted];
  const held = list.run('times', () => {
    for (const stamp of stamped) assertNotAfter(accepted, stamp);
    for (const outcome of occurred) {
      assertNotAfter(accepted, outcome);
      for (const stamp of stamped)
        if (stamp.size !== undefined && stamp.size > outcome.leaf_index) assertNotAfter(outcome, stamp);
      for (const count of counted) assertNotAfter(outcome, count);
    }
    for (const count of counted) assertNotAfter(sealed, count);
    const links = [sealed, ...renewed];
    for (const [i, renewal] of renewed.entries()) assertNotAfter(links[i]!, renewal);
    const future = all.find(({ ms }) => ms > now.getTime() + DAY_MS);
    if (future !== undefined)
      throw new EvidenceError('times', `${told(future)}, and it is ${now.toISOString()} here`);
    return {
      value: true,
      detail: `${all.length} times that agree to within 5 minutes`,
    };
  });
  if (held === undefined || !list.ok) return [];
  const witnessed = context.cosigned.map((seconds) => ({ what: 'cosigned', ms: seconds * 1000 }));
  const times = { now, accepted, sealed, occurred, counted, outcomes, all: [...all, ...witnessed] };
  return [...warningsOf(times), ...revocationWarnings(context)];
}

function revocationWarnings({ revokedLater, revocation }: Verifying): Warning[] {
  const warnings: Warning[] = [];
  if (revokedLater.length > 0) warnings.push({ name: 'revoked_later', detail: revokedLater.join('; ') });
  const idle = revocation.idle().filter(({ given }) => given);
  if (idle.length > 0)
    warnings.push({
      name: 'revocation_not_used',
      detail: idle.map(({ name, reason }) => `${name}: ${reason}`).join('; '),
    });
  return warnings;
}

const told = ({ what, ms }: Stated): string => `${what} at ${new Date(ms).toISOString()}`;

function assertNotAfter(earlier: Stated, later: Stated): void {
  if (earlier.ms > later.ms + CLOCK_TOLERANCE_MS)
    throw new EvidenceError('times', `${told(earlier)}, yet ${told(later)}`);
}

function warningsOf(given: {
  now: Date;
  accepted: Stated;
  sealed: Stated;
  occurred: readonly Stated[];
  counted: readonly Stated[];
  outcomes: readonly DeliveryFinding[];
  all: readonly Stated[];
}): Warning[] {
  const { now, accepted, sealed, occurred, counted, outcomes, all } = given;
  const warnings: Warning[] = [];
  const ahead = all.find(({ ms }) => ms > now.getTime() + CLOCK_TOLERANCE_MS);
  if (ahead !== undefined)
    warnings.push({
      name: 'clock',
      detail: `${told(ahead)}, and it is ${now.toISOString()} here: your clock or theirs is wrong`,
    });
  if (sealed.ms > accepted.ms + DAY_MS)
    warnings.push({
      name: 'sealed_late',
      detail: `${told(accepted)} and ${told(sealed)}: that it was accepted before is the operator's word`,
    });
  const late = occurred.findIndex(({ ms }, i) =>
    occurred.slice(i + 1).some((later) => ms > later.ms + CLOCK_TOLERANCE_MS),
  );
  if (late >= 0)
    warnings.push({
      name: 'occurred_order',
      detail: `${told(occurred[late]!)}, after an outcome that was recorded later`,
    });
  const unstamped = outcomes.findIndex(({ sealed_at }) => sealed_at === null);
  if (unstamped >= 0)
    warnings.push({
      name: 'outcome_unstamped',
      detail: `outcome ${unstamped + 1} has no time-stamp of its own here: when it was recorded is the operator's word`,
    });
  const [count] = counted;
  if (count !== undefined && count.ms < now.getTime() - OLD_COUNT_MS)
    warnings.push({
      name: 'outcomes_old',
      detail: `${told(count)}: later outcomes are not in this file`,
    });
  return warnings;
}
