import { apiError } from '../errors.ts';
import type { Db } from '../platform/database/db.ts';
import { idRange } from '../platform/http/created-query.ts';
import {
  countOutcomes,
  findOutcomesEnd,
  type OutcomeCounts,
  type OutcomePart,
  type OutcomeRow,
} from './outcomes-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const PERIOD_DAYS_MAX = 92;
/** Longer ones are counted by day. */
export const HOURLY_DAYS_MAX = 7;
/** Some 170 ms of reading. */
export const OUTCOMES_READ_MAX = 50_000;
export const NAMES_MAX = 50;

export interface AskedPeriod {
  readonly from: Date;
  readonly to: Date;
  readonly destination: string | null;
  readonly sendingDomain: string | null;
  readonly tag: string | null;
}

export interface NamedOutcomes extends OutcomeCounts {
  /** Null: of erased messages. */
  name: string | null;
}

export interface Outcomes {
  from: string;
  to: string;
  step: 'hour' | 'day';
  counted_from: string | null;
  counters: OutcomeCounts;
  series: (OutcomeCounts & { from: string })[];
  destinations: NamedList;
  sending_domains: NamedList;
  tags: NamedList;
}

interface NamedList {
  data: NamedOutcomes[];
  others: number;
}

/** Outcomes so far of the messages accepted in a period; of the newest, if there are too many. */
export async function readOutcomes(db: Db, tenantId: string, asked: AskedPeriod): Promise<Outcomes> {
  const { from, to } = asked;
  const length = to.getTime() - from.getTime();
  if (length <= 0) throw apiError('invalid_parameter', 'created_before must be later than created_after.');
  if (length > PERIOD_DAYS_MAX * DAY_MS)
    throw apiError(
      'invalid_parameter',
      `The period may be at most ${PERIOD_DAYS_MAX} days long: shorten it.`,
    );
  const step = length > HOURLY_DAYS_MAX * DAY_MS ? 'day' : 'hour';
  const ids = idRange({ createdAfter: from, createdBefore: to }, null);
  const question = { ...asked, ids, step, scanned: OUTCOMES_READ_MAX, named: NAMES_MAX } as const;
  return db.asTenant(tenantId, async (tx) => {
    const rows = await countOutcomes(tx, tenantId, question);
    const end = await findOutcomesEnd(tx, tenantId, ids, OUTCOMES_READ_MAX);
    return toOutcomes(asked, step, rows, end);
  });
}

/** Every step is present. Pure. */
export function toOutcomes(
  { from, to }: Pick<AskedPeriod, 'from' | 'to'>,
  step: 'hour' | 'day',
  rows: readonly OutcomeRow[],
  end: Date | null,
): Outcomes {
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS;
  const byStep = new Map(rows.filter(({ part }) => part === 'step').map((row) => [`${row.name}.000Z`, row]));
  const first = Math.floor(from.getTime() / stepMs) * stepMs;
  const series = Array.from({ length: Math.ceil((to.getTime() - first) / stepMs) }, (_, at) => {
    const begins = new Date(first + at * stepMs).toISOString();
    return { from: begins, ...countsOf(byStep.get(begins)) };
  });
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    step,
    counted_from: end === null || end <= from ? null : end.toISOString(),
    counters: series.reduce<OutcomeCounts>(addUp, countsOf(undefined)),
    series,
    destinations: named(rows, 'destination'),
    sending_domains: named(rows, 'sending_domain'),
    tags: named(rows, 'tag'),
  };
}

function named(rows: readonly OutcomeRow[], wanted: OutcomePart): NamedList {
  const found = rows.filter(({ part }) => part === wanted);
  return {
    data: found.map((row) => ({ name: row.name === '' ? null : row.name, ...countsOf(row) })),
    others: found.length === 0 ? 0 : found[0]!.names - found.length,
  };
}

function countsOf(row: OutcomeCounts | undefined): OutcomeCounts {
  const { ingested = 0, sent = 0, deferred = 0, bounced = 0, complained = 0 } = row ?? {};
  return { ingested, sent, deferred, bounced, complained };
}

function addUp(sum: OutcomeCounts, each: OutcomeCounts): OutcomeCounts {
  return {
    ingested: sum.ingested + each.ingested,
    sent: sum.sent + each.sent,
    deferred: sum.deferred + each.deferred,
    bounced: sum.bounced + each.bounced,
    complained: sum.complained + each.complained,
  };
}
