import { Type } from 'typebox';
import { listTroubledDomains } from '../../accounts/domains/trouble-store.ts';
import { listTenantNames } from '../../accounts/tenants/store.ts';
import { REPORT_STALE_MS } from '../../delivery/attempt/window-reports.ts';
import { queueStates } from '../../delivery/claim/claim-store.ts';
import { listPausedDestinations, listPausedTenants } from '../../delivery/operate/pause-store.ts';
import { listClosed } from '../../delivery/operate/queue-store.ts';
import { listLogs } from '../../evidence/log/log-store.ts';
import { describeStop } from '../../evidence/log/stop.ts';
import { listStoppedLogs } from '../../evidence/log/stop-store.ts';
import { readLogState } from '../../evidence/metrics-store.ts';
import { readCover } from '../../evidence/renewal/renewal-store.ts';
import { WARN_BEFORE_MS } from '../../evidence/renewal/renewals.ts';
import { listAuthorities } from '../../evidence/stamp/authority-store.ts';
import { countAccepted } from '../../messages/overview-store.ts';
import type { Tx } from '../../platform/database/db.ts';
import { listFreshProcesses } from '../../platform/database/processes-store.ts';
import { count, Id, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { firstIdAt, timeOf } from '../../platform/ids.ts';
import { FRESH_MS } from '../../platform/processes.ts';
import { listTroubledEndpoints, readBacklog } from '../../webhooks/metrics-store.ts';
import { BY_SUPPORT } from './access.ts';
import type { AdminDeps } from './deps.ts';

/** An operator's first page: the oldest work, and what needs attention. */
interface Attention {
  readonly code: AttentionCode;
  /** A destination, an authority, an id, a name. */
  readonly subject: string;
  readonly tenant_id: string | null;
  /** Start; or end, for something that ends. */
  readonly at: string | null;
  readonly text: string;
}

const ATTENTION_CODES = [
  'log_stopped',
  'queue_stuck',
  'sealing_late',
  'authority_failing',
  'authority_ends_soon',
  'constancias_lapsed',
  'destination_closed',
  'destination_paused',
  'account_paused',
  'domain_failing',
  'domain_degraded',
  'webhook_failing',
] as const;
type AttentionCode = (typeof ATTENTION_CODES)[number];

/** Most entries shown of each kind; the list of that kind has all. */
const SHOWN_MAX = 20;
const MINUTE_MS = 60_000;
/** Counting one account's messages of a minute ends here. */
const ACCEPTED_MAX = 100_000;
/** A leaf that has no constancia after this time (ms) is late: an authority answers within seconds. */
const SEALING_LATE_MS = 10 * MINUTE_MS;
/** Mail due for this long (s), while no process handles any, is stuck. */
const STUCK_AFTER_SECONDS = 60;

async function readOverview(deps: AdminDeps) {
  const { db, clock } = deps;
  const now = clock.now();
  return db.observe(async (tx) => {
    const queue = await queueStates(tx);
    const oldestUnsealedAt = await oldestUnsealed(tx);
    const since = new Date(now.getTime() - MINUTE_MS);
    const processes = await listFreshProcesses(tx, FRESH_MS);
    const webhooks = await readBacklog(tx);
    const { oldestSeconds, overdueSeconds, ...waiting } = queue;
    return {
      as_of: now.toISOString(),
      queue: waiting,
      oldest_unsent_seconds: Math.round(oldestSeconds),
      oldest_unsealed_seconds:
        oldestUnsealedAt === null ? 0 : Math.max(0, Math.round((now.getTime() - +oldestUnsealedAt) / 1_000)),
      accepted_last_minute: await countAccepted(tx, { at: since, firstId: firstIdAt(since) }, ACCEPTED_MAX),
      webhooks: { due: webhooks.due, held: webhooks.held, waiting: webhooks.waiting },
      processes: processes.map(({ process_id, pid, beat_at }) => ({
        id: process_id,
        pid,
        seen_at: beat_at.toISOString(),
      })),
      attention: await withNames(tx, [
        ...stuck(waiting, overdueSeconds),
        ...(await sealingTroubles(tx, deps, now, oldestUnsealedAt)),
        ...(await deliveryTroubles(tx, now)),
        ...(await accountTroubles(tx)),
      ]),
    };
  });
}

async function withNames(tx: Tx, items: readonly Attention[]) {
  const ids = items.flatMap(({ tenant_id: id }) => (id === null ? [] : [id]));
  const names = new Map(
    (await listTenantNames(tx, [...new Set(ids)])).map(({ tenantId, name }) => [tenantId, name]),
  );
  return items.map((item) => ({ ...item, tenant_name: names.get(item.tenant_id ?? '') ?? null }));
}

async function oldestUnsealed(tx: Tx): Promise<Date | null> {
  const times: Date[] = [];
  for (const { logId } of await listLogs(tx)) {
    const state = await readLogState(tx, logId);
    for (const leaf of [state?.firstPendingLeaf, state?.firstUnstampedLeaf])
      if (leaf) times.push(timeOf(leaf));
  }
  return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
}

function stuck({ due, held }: { due: number; held: number }, overdueSeconds: number): Attention[] {
  if (due === 0 || held > 0 || overdueSeconds < STUCK_AFTER_SECONDS) return [];
  const text = `Mail is due and nobody sends it (messages: ${due}). Is a process with the role delivery running?`;
  return [{ code: 'queue_stuck', subject: String(due), tenant_id: null, at: null, text }];
}

async function sealingTroubles(
  tx: Tx,
  { config }: AdminDeps,
  now: Date,
  unsealedAt: Date | null,
): Promise<Attention[]> {
  const nowMs = now.getTime();
  const dueBefore = new Date(nowMs + config.renewBeforeMs);
  const { lapsed } = await readCover(tx, { now, dueBefore });
  const found: Attention[] = [];
  const add = (code: AttentionCode, subject: string, at: Date | null, text: string) =>
    found.push({ code, subject, tenant_id: null, at: at?.toISOString() ?? null, text });
  for (const stop of await listStoppedLogs(tx))
    add(
      'log_stopped',
      stop.origin,
      stop.stoppedAt,
      `L${describeStop(stop).slice(1)}. It signs nothing more.`,
    );
  if (unsealedAt !== null && nowMs - unsealedAt.getTime() > SEALING_LATE_MS)
    add('sealing_late', 'log', unsealedAt, 'Messages have waited for a constancia for over ten minutes.');
  if (lapsed > 0)
    add('constancias_lapsed', String(lapsed), null, `${lapsed} constancias ended before they were renewed.`);
  for (const { name, failures, lastError, failedAt, chainNotAfter } of await listAuthorities(tx)) {
    if (failures > 0) add('authority_failing', name, failedAt, `${name} fails: ${lastError ?? 'no answer'}.`);
    if (chainNotAfter !== null && chainNotAfter.getTime() <= nowMs + WARN_BEFORE_MS)
      add('authority_ends_soon', name, chainNotAfter, `A certificate of ${name} ends soon.`);
  }
  return found;
}

async function deliveryTroubles(tx: Tx, now: Date): Promise<Attention[]> {
  const fresh = new Date(now.getTime() - REPORT_STALE_MS);
  const closed = await listClosed(tx, fresh, now, SHOWN_MAX);
  const destinations = (await listPausedDestinations(tx)).slice(0, SHOWN_MAX);
  const tenants = (await listPausedTenants(tx)).slice(0, SHOWN_MAX);
  return [
    ...closed.map(
      ({ destination, closed_until: until, waiting }): Attention => ({
        code: 'destination_closed',
        subject: destination,
        tenant_id: null,
        at: until.toISOString(),
        text: `${destination} was repeatedly busy or unreachable; ${waiting} messages wait.`,
      }),
    ),
    ...destinations.map(
      ({ destination, paused_by: by, paused_at: at, reason }): Attention => ({
        code: 'destination_paused',
        subject: destination,
        tenant_id: null,
        at: at.toISOString(),
        text: `Paused by ${by}: ${reason}`,
      }),
    ),
    ...tenants.map(
      ({ tenant_id, paused_by: by, paused_at: at, reason }): Attention => ({
        code: 'account_paused',
        subject: tenant_id,
        tenant_id,
        at: at.toISOString(),
        text: `Paused by ${by}: ${reason}`,
      }),
    ),
  ];
}

async function accountTroubles(tx: Tx): Promise<Attention[]> {
  const domains = await listTroubledDomains(tx, SHOWN_MAX);
  const endpoints = await listTroubledEndpoints(tx, SHOWN_MAX);
  return [
    ...domains.map(({ tenantId, name, status, graceUntil, degradedSince }): Attention => {
      const about = { subject: name, tenant_id: tenantId };
      if (status !== 'failing' && graceUntil === null)
        return {
          ...about,
          code: 'domain_degraded',
          at: degradedSince?.toISOString() ?? null,
          text: `A DNS record of ${name} is missing: receivers cannot check its mail.`,
        };
      return {
        ...about,
        code: 'domain_failing',
        at: graceUntil?.toISOString() ?? null,
        text:
          status === 'failing'
            ? `The DNS records of ${name} are gone: its mail is refused.`
            : `The DNS records of ${name} are gone: its mail is refused soon.`,
      };
    }),
    ...endpoints.map(
      ({ tenant_id, webhook_id, url, enabled, failing_since: since }): Attention => ({
        code: 'webhook_failing',
        subject: webhook_id,
        tenant_id,
        at: since?.toISOString() ?? null,
        text: `A webhook at ${new URL(url).origin} ${enabled ? 'fails' : 'was disabled because it failed'}.`,
      }),
    ),
  ];
}

const states = ($id: string, what: string) =>
  Type.Object(
    {
      due: count(`${what} that are due.`),
      held: count(`${what} that are being handled.`),
      waiting: count(`${what} that wait for their next attempt, or are paused.`),
    },
    { additionalProperties: false, $id },
  );

const AttentionSchema = named('Attention', {
  code: Type.Enum([...ATTENTION_CODES]),
  subject: Type.String({
    description: 'A destination, an authority, a domain, an id.',
    examples: ['example.com'],
  }),
  tenant_id: nullable(Id),
  tenant_name: nullable(Type.String(), 'Name of that account.'),
  at: nullable(Timestamp, 'Since when; of what ends, until when.'),
  text: Type.String({ description: 'For people.', examples: ['Paused by Ana: ticket 4711'] }),
});

const Overview = named('Overview', {
  as_of: Timestamp,
  queue: states('QueueCounts', 'Messages'),
  oldest_unsent_seconds: count('Age of the oldest message that waits; 0: none does.'),
  oldest_unsealed_seconds: count('Age of the oldest leaf without a constancia; 0: none.'),
  accepted_last_minute: count('Messages accepted in the last minute.'),
  webhooks: states('WebhookCounts', 'Deliveries'),
  processes: Type.Array(named('SeenProcess', { id: Id, pid: Type.Integer(), seen_at: Timestamp }), {
    description: 'Processes that work on this database now.',
  }),
  attention: Type.Array(AttentionSchema, {
    description: 'Problems that somebody must look at, most urgent first; at most 20 of each kind.',
  }),
});

export function overviewRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/overview',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getOverview',
        summary: 'Read the state of the installation',
        description: 'The oldest and the waiting work, the processes, and what needs attention.',
        response: { 200: Overview },
      },
    },
    () => readOverview(deps),
  );
}
