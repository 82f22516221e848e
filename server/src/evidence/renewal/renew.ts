import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { toHex } from '@acuse/evidence/bytes';
import { MAX_LISTED, renewalImprint, renewalList } from '@acuse/evidence/renewal';
import type { Db, DbAndClock, Tx } from '../../platform/database/db.ts';
import { every } from '../../platform/every.ts';
import { newId } from '../../platform/ids.ts';
import type { LoopLog } from '../../platform/logger.ts';
import { LEASE_MS } from '../../platform/queue/leases.ts';
import type { LogSigner } from '../log/log-key.ts';
import type { Authorities, VerifiedStamp } from '../stamp/authorities.ts';
import { addCosts } from '../stamp/cost-store.ts';
import { monthOfStamp, shareCost } from '../stamp/costs.ts';
import { putIssued } from '../stamp/issued-store.ts';
import { insertRevocation, type RevocationRow, readRevocation } from '../stamp/revocation-store.ts';
import { stampColumns } from '../stamp/stamp-columns.ts';
import { type Renewable, toRenewable } from './renewable.ts';
import {
  type ClaimedRenewal,
  claimRenewals,
  countRenewedLeaves,
  deleteRenewalStamp,
  extendRenewals,
  insertRenewalStamp,
  insertRenewals,
  type RenewalRow,
  readRenewals,
  releaseRenewals,
} from './renewal-store.ts';

/**
 * Renewal (after RFC 4998 §5.2): before a certificate of a constancia's chain expires, everything is hashed
 * and stamped again, up to MAX_LISTED batches per stamp.
 */
export interface RenewDeps extends DbAndClock {
  readonly log: LoopLog;
  readonly authorities: Authorities;
  readonly logOf: (logId: string) => Promise<Pick<LogSigner, 'key'>>;
  /** Chains that end within this are renewed (ms). */
  readonly renewBeforeMs: number;
  /** Default: as many as a list holds. */
  readonly together?: number;
}

export interface RenewalRound {
  readonly renewed: number;
  /** Already covered, or renewed by another process. */
  readonly notDue: number;
  /** Not renewed, with the reason; retried later. */
  readonly postponed: number;
  readonly reasons: readonly string[];
  readonly more: boolean;
}

/** Several tries fit in a lease (ms). */
const EXTEND_EVERY_MS = LEASE_MS / 4;
/** After failing authorities (ms). */
const RETRY_MS = 10 * 60_000;
/** Always worth a renewal (ms). */
const WORTH_MS = 30 * 24 * 3_600_000;
/** Pause for what cannot be renewed or outlasted (ms). */
const LONG_RETRY_MS = 24 * 3_600_000;

/** Up to one list of batches. Throws only for database faults. */
export async function renewDue(deps: RenewDeps, signal: AbortSignal): Promise<RenewalRound> {
  const { db, clock, together = MAX_LISTED } = deps;
  const now = clock.now();
  const dueBefore = new Date(now.getTime() + deps.renewBeforeMs);
  const leasedUntil = new Date(now.getTime() + LEASE_MS);
  const claimed = await claimRenewals(db, { dueBefore, now, leasedUntil, limit: together });
  const lease = keepLease(deps, claimed, leasedUntil);
  try {
    return await renewClaimed(deps, claimed, lease, signal);
  } finally {
    await lease.end();
  }
}

async function renewClaimed(
  deps: RenewDeps,
  claimed: readonly ClaimedRenewal[],
  lease: Lease,
  signal: AbortSignal,
): Promise<RenewalRound> {
  const { db, clock, together = MAX_LISTED } = deps;
  const now = clock.now();
  const dueBefore = new Date(now.getTime() + deps.renewBeforeMs);
  const looked = await lookAt(deps, claimed, now);
  const broken = looked.filter((each) => each.kind === 'broken');
  const sound = looked.filter((each) => each.kind === 'renewable');
  const due = sound.filter(({ coveredUntil }) => coveredUntil < dueBefore);
  const notDue = sound.filter(({ coveredUntil }) => coveredUntil >= dueBefore);
  for (const { batch, reason } of broken)
    deps.log.error(
      { logId: batch.logId, treeSize: batch.treeSize, reason },
      'a constancia cannot be renewed because it does not verify: run acuse fsck',
    );
  const later = (ms: number) => new Date(now.getTime() + ms);
  await releaseRenewals(db, broken.map(toKept), await lease.until(), later(LONG_RETRY_MS));
  await releaseRenewals(db, notDue.map(toKept), await lease.until(), null);
  const round = { notDue: notDue.length, more: claimed.length === together };
  const reasons = broken.map(({ batch, reason }) => `batch ${batch.treeSize}: ${reason}`);
  if (due.length === 0) return { ...round, renewed: 0, postponed: broken.length, reasons };
  const { renewed, left, reason, retryMs } = await renewTogether(deps, due, lease, signal);
  if (left.length > 0) {
    deps.log.warn({ batches: left.length, reason }, 'constancias could not be renewed; trying again');
    await releaseRenewals(db, left.map(toKept), await lease.until(), later(retryMs));
    reasons.push(reason);
  }
  return {
    ...round,
    renewed,
    notDue: notDue.length + due.length - left.length - renewed,
    postponed: broken.length + left.length,
    reasons,
  };
}

/** One claim's leases, with one common end, which fences write-backs. */
interface Lease {
  until(): Promise<Date>;
  end(): Promise<Date>;
}

function keepLease({ db, clock, log }: RenewDeps, claimed: readonly ClaimedRenewal[], from: Date): Lease {
  let until = from;
  let extending: Promise<void> = Promise.resolve();
  async function extend(): Promise<void> {
    const next = new Date(clock.now().getTime() + LEASE_MS);
    if ((await extendRenewals(db, claimed, until, next)) > 0) until = next;
  }
  const extensions = every(EXTEND_EVERY_MS, () => {
    extending = extend().catch((error) =>
      log.warn({ err: error }, 'extending the leases of renewals failed; trying again'),
    );
    return extending;
  });
  extensions.start();
  const known = () => extending.then(() => until);
  return {
    until: known,
    async end() {
      await extensions.stop();
      return until;
    },
  };
}

function toKept(each: Renewable) {
  const { logId, treeSize } = each.batch;
  return { logId, treeSize, coveredUntil: each.kind === 'renewable' ? each.coveredUntil : null };
}

/** Verifies each batch's stamps and records what would be renewed. */
async function lookAt(
  { db, logOf }: RenewDeps,
  claimed: readonly ClaimedRenewal[],
  now: Date,
): Promise<Renewable[]> {
  const earlier = new Map<string, RenewalRow[]>();
  for (const row of await readRenewals(db, claimed)) {
    const key = `${row.logId} ${row.treeSize}`;
    earlier.set(key, [...(earlier.get(key) ?? []), row]);
  }
  const pieces = await readPieces(db, [...claimed, ...[...earlier.values()].flat()]);
  const looked: Renewable[] = [];
  for (const batch of claimed) {
    const renewals = earlier.get(`${batch.logId} ${batch.treeSize}`) ?? [];
    const hashes = [batch, ...renewals].flatMap(({ revocation }) => revocation.map(toHex));
    const revocation = [...new Set(hashes)].flatMap((hash) => pieces.get(hash) ?? []);
    const { key } = await logOf(batch.logId);
    looked.push(await toRenewable(batch, renewals, revocation, key, now));
    await yieldToOthers();
  }
  return looked;
}

async function readPieces(
  db: Db,
  stamps: readonly { revocation: readonly Uint8Array[] }[],
): Promise<Map<string, RevocationRow>> {
  const hashes = new Map(stamps.flatMap(({ revocation }) => revocation.map((hash) => [toHex(hash), hash])));
  const rows = await readRevocation(db, [...hashes.values()]);
  return new Map(rows.map((row) => [toHex(row.sha256), row]));
}

type Due = Extract<Renewable, { kind: 'renewable' }>;
/** `left`: not renewed, for `reason`. */
type Outcome = { renewed: number; left: readonly Due[]; reason: string; retryMs: number };

async function renewTogether(
  deps: RenewDeps,
  due: readonly Due[],
  lease: Lease,
  signal: AbortSignal,
): Promise<Outcome> {
  const { db, clock, authorities } = deps;
  const [first] = due;
  const list = due.length === 1 ? null : renewalList(due.map(({ sums }) => sums));
  const imprint = renewalImprint(list ?? first!.sums);
  const wanted = {
    imprint,
    hashAlgorithm: 'sha512' as const,
    notBefore: clock.now(),
    suffices: (ends: Date) => due.every((each) => isWorthwhile(each.coveredUntil, ends, clock.now())),
  };
  const obtained = await authorities.obtain(wanted, signal);
  if (obtained.kind === 'failed')
    return { renewed: 0, left: due, reason: obtained.reason, retryMs: RETRY_MS };
  const { stamp } = obtained;
  const ends = new Date(stamp.facts.chainNotAfter);
  const now = clock.now();
  const worth = due.filter((each) => isWorthwhile(each.coveredUntil, ends, now));
  const left = due.filter((each) => !worth.includes(each));
  const leasedUntil = await lease.end();
  const renewed =
    worth.length === 0
      ? 0
      : await db.transact((tx) => record(tx, worth, { list, stamp, leasedUntil, createdAt: now }));
  const reason = `${stamp.authority}: its own chain ends at ${ends.toISOString()}, which is hardly later than what is to be renewed`;
  return { renewed, left, reason, retryMs: retryMsFor(left, ends, now) };
}

/** Bundles hold at most MAX_RENEWALS: one must win a month, or as much as is available. */
export function isWorthwhile(coveredUntil: Date, ends: Date, now: Date): boolean {
  const wonMs = ends.getTime() - coveredUntil.getTime();
  return wonMs >= WORTH_MS || (wonMs > 0 && wonMs >= coveredUntil.getTime() - now.getTime());
}

/** When such a chain would be worthwhile, but soon enough to find another. */
function retryMsFor(left: readonly Due[], ends: Date, now: Date): number {
  const waits = left
    .map(({ coveredUntil }) => 2 * coveredUntil.getTime() - ends.getTime() - now.getTime())
    .filter((ms) => ms > 0);
  return Math.max(RETRY_MS, Math.min(LONG_RETRY_MS, ...waits));
}

async function record(
  tx: Tx,
  due: readonly Due[],
  {
    list,
    stamp,
    leasedUntil,
    createdAt,
  }: {
    readonly list: string | null;
    readonly stamp: VerifiedStamp;
    readonly leasedUntil: Date;
    readonly createdAt: Date;
  },
): Promise<number> {
  const renewalStampId = newId();
  await insertRevocation(tx, stamp.revocation, createdAt);
  await putIssued(tx, stamp.token, stamp.issued, createdAt);
  await insertRenewalStamp(tx, { renewalStampId, list, createdAt, ...stampColumns(stamp) });
  const coveredUntil = new Date(stamp.facts.chainNotAfter);
  const rows = due.map(({ batch, ordinal, sums }) => ({ ...batch, ordinal, sums }));
  const added = await insertRenewals(tx, rows, { renewalStampId, leasedUntil, coveredUntil });
  // All leases were lost meanwhile: others renewed.
  if (added.length === 0) await deleteRenewalStamp(tx, renewalStampId);
  const keys = new Set(added.map(({ logId, treeSize }) => `${logId} ${treeSize}`));
  const ranges = rows.filter(({ logId, treeSize }) => keys.has(`${logId} ${treeSize}`));
  if (stamp.priceMicros > 0 && ranges.length > 0) await charge(tx, ranges, stamp);
  return added.length;
}

async function charge(tx: Tx, ranges: readonly ClaimedRenewal[], stamp: VerifiedStamp): Promise<void> {
  const counts = await countRenewedLeaves(tx, ranges);
  const shares = shareCost(stamp.priceMicros, counts);
  const month = monthOfStamp(stamp);
  await addCosts(
    tx,
    counts.map(([tenantId, items]) => ({
      tenantId,
      month,
      kind: 'renewal',
      authority: stamp.authority,
      items,
      costMicros: shares.get(tenantId)!,
    })),
  );
}
