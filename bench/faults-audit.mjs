// Compares accepted messages with what servers took and what the database says.
import pg from 'pg';

/**
 * After a server's answer what became of a message is on record within this time, unless something was wrong
 * (ms).
 */
const RECORDED_WITHIN_MS = 2_500;
/** Longest effect of a fault after its end: a start, connections that are made again (ms). */
const AFTERMATH_MS = 3_000;

export async function readRecords({ databaseUrl }) {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c role=acuse_worker' });
  await client.connect();
  const rows = async (text) => (await client.query(text)).rows;
  try {
    return {
      messages: await rows(
        'select message_id, idempotency_key, recipient_address, status, certified, attempts from messages',
      ),
      attempts: await rows(
        'select message_id, attempt, outcome, reply from attempts order by message_id, attempt',
      ),
      events: await rows(
        `select event_id, type from events
          union all select message_id, 'email.queued' from messages where send_at is null`,
      ),
      queues: await rows(
        `select (select count(*)::int from delivery_queue) as mail, (select count(*)::int from webhook_queue) as webhooks,
                (select count(*)::int from pending_leaves) as leaves, (select count(*)::int from stamp_queue) as stamps`,
      ),
      sums: await rows(
        `select coalesce(sum(ingested), 0)::int as ingested, coalesce(sum(sent), 0)::int as sent,
                coalesce(sum(bounced), 0)::int as bounced, coalesce(sum(sealed), 0)::int as sealed
           from (select * from daily_counters union all select * from counter_additions) counted`,
      ),
      quota: await rows('select coalesce(sum(used), 0)::int as used from quota_usage'),
    };
  } finally {
    await client.end();
  }
}

/** Rows by what they have in common (Map.groupBy, which Node.js 20 does not have). */
export function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** Everything of one installation that is not as it must be; empty is good. */
export function findFaults({ sends, taken, received, records }) {
  const faults = [];
  const byKey = groupBy(records.messages, (row) => row.idempotency_key);
  const lost = [];
  for (const send of sends) {
    if (send.fatal !== undefined) faults.push(`${send.key}: ${send.fatal}`);
    const rows = byKey.get(send.key) ?? [];
    if (rows.length > 1) faults.push(`${send.key}: ${rows.length} messages of one key`);
    if (send.id === null) continue;
    const row = rows.find(({ message_id }) => message_id === send.id);
    const copies = taken.get(send.to)?.length ?? 0;
    const end = send.to.endsWith('@gone.test') ? 'bounced' : 'sent';
    if (row === undefined) lost.push(`${send.key}: answered 2xx, and not in the database`);
    else if (end === 'sent' && copies === 0) lost.push(`${send.key}: ${row.status}, and no server has it`);
    else if (row.status !== end) faults.push(`${send.key}: ${row.status} in place of ${end}`);
  }
  const { ingested, sent, bounced, sealed } = records.sums[0];
  const { used } = records.quota[0];
  const count = (test) => records.messages.filter(test).length;
  const sums = [
    ['ingested', ingested, records.messages.length],
    ['quota used', used, records.messages.length],
    ['sent', sent, count(({ status }) => status === 'sent')],
    ['bounced', bounced, count(({ status }) => status === 'bounced')],
    ['sealed', sealed, count(({ certified }) => certified)],
  ];
  for (const [name, counted, is] of sums)
    if (counted !== is) faults.push(`counter ${name}: ${counted}, and there are ${is}`);
  for (const [queue, left] of Object.entries(records.queues[0]))
    if (left > 0) faults.push(`queue ${queue}: ${left} left`);
  const byMessage = groupBy(records.attempts, (row) => row.message_id);
  for (const row of records.messages) {
    const numbers = (byMessage.get(row.message_id) ?? []).map(({ attempt }) => attempt);
    if (numbers.length !== row.attempts || numbers.some((number, at) => number !== at + 1))
      faults.push(`${row.idempotency_key}: attempts ${numbers.join(', ')} of ${row.attempts}`);
  }
  const untold = records.events.filter(({ event_id }) => !received.has(event_id));
  if (untold.length > 0)
    faults.push(`${untold.length} events that no webhook told of, such as ${untold[0].type}`);
  return { lost, faults };
}

/** A server's word for it, or nobody's: deferrals that our own faults were put down to. */
export function countFalseDeferrals(records) {
  return records.attempts.filter(({ outcome, reply }) => outcome === 'deferred' && reply.code === null)
    .length;
}

/** Each copy after the first, by what was wrong with who had sent the one before it. */
export function explainDuplicates(taken, faults) {
  const causes = new Map();
  for (const [to, copies] of taken) {
    for (const [at, copy] of copies.slice(0, -1).entries()) {
      const cause = causeOf(copy, copies[at + 1], faults);
      const list = causes.get(cause) ?? [];
      list.push(
        `${to}: ${Math.round(copies[at + 1].dotMs - copy.dotMs)} ms later by ${copies[at + 1].by}, first by ${copy.by}`,
      );
      causes.set(cause, list);
    }
  }
  return causes;
}

function causeOf(copy, next, faults) {
  const from = copy.dotMs;
  const to = Math.min((copy.answeredMs ?? next.dotMs) + RECORDED_WITHIN_MS, next.dotMs);
  const name = copy.by.split('.')[0];
  const during = faults.filter(
    (fault) =>
      fault.on.includes(name) && fault.fromMs <= to && (fault.toMs ?? Infinity) + AFTERMATH_MS >= from,
  );
  if (during.length === 0) return 'UNEXPLAINED';
  const when = copy.heard
    ? 'after a server had answered and before it was on record'
    : 'while a server was answering';
  return `${during.at(-1).name}, ${when}`;
}
