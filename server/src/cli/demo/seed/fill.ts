import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type DnsAnswer, judge } from '../../../accounts/domains/records.ts';
import { markVerified } from '../../../accounts/domains/register.ts';
import { type VerifyDeps, verifyDomain } from '../../../accounts/domains/verify.ts';
import { changeTenant, createTenant } from '../../../accounts/tenants/operations.ts';
import { startServer } from '../../../app/main.ts';
import type { Config } from '../../../config/config-type.ts';
import { requireMasterKeys } from '../../../config/master-key.ts';
import { issueLink } from '../../../people/sessions/operator-issued-link.ts';
import { systemClock } from '../../../platform/clock.ts';
import { createChanges } from '../../../platform/database/changes.ts';
import { type Db, openDb } from '../../../platform/database/db.ts';
import { startEmbeddedPostgres } from '../../../platform/database/embedded-postgres.ts';
import { createLog } from '../../../platform/logger.ts';
import { createLazySecretBox } from '../../../platform/secrets.ts';
import { domainServices } from '../../services.ts';
import { linkDeps } from '../../users.ts';
import { type Ask, createAsk } from './ask.ts';
import {
  connectAsOwner,
  isSettled,
  MOVED_CLOCK_SETTINGS,
  moveDatabaseClock,
  returnDatabaseClock,
} from './clock-store.ts';
import { createSharing, type Sharing } from './shares.ts';
import {
  DOMAIN,
  isContract,
  LAST_SHARE,
  OLD_DOMAIN,
  PENDING_DOMAIN,
  PEOPLE,
  STORY_DAYS,
  shareAfter,
  storyUntil,
  TEMPLATES,
  toCome,
} from './story.ts';

/** Its records vanish on this day, so that the grace ends within the story. */
const GONE_ON_DAY = 9;

/** Plays two weeks of mail through the service, with moved clocks. */

const BY = { kind: 'operator', id: null, name: 'acuse demo', clientAddress: null, requestId: null } as const;

const DAY_MS = 86_400_000;
/** Time after each moment, for first retries (ms). */
const AFTER_MS = 6 * 60_000;
/** Faster batches for an impatient watcher (ms). */
const SEAL_EVERY_MS = 200;
const SETTLED_WITHIN_MS = 30_000;
const POLL_MS = 25;

export interface Filled {
  readonly tenantId: string;
  readonly messages: number;
  readonly days: number;
}

/** Needs a new data folder. `tell`: a line per day. Throws if a step fails, without undoing. */
export async function fillSandbox(config: Config, tell: (line: string) => void): Promise<Filled> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const postgres = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      command: 'acuse demo --seed',
      kind: 'service',
      log: createLog('error'),
      settings: MOVED_CLOCK_SETTINGS,
    });
    closing.unshift(postgres.stop);
    const client = await connectAsOwner(postgres.url);
    closing.unshift(() => client.end());
    const realNowMs = Date.now();
    const clock = await moveClock(client, realNowMs - STORY_DAYS * DAY_MS);
    closing.unshift(clock.giveBack);
    const receiver = await startDemoReceiver();
    closing.unshift(receiver.close);
    const server = await startServer(configFor(config, postgres.url), createLog('fatal'));
    closing.unshift(server.stop);
    const db = openDb({ connectionString: postgres.url, poolSize: 2, applicationName: 'acuse:demo' });
    closing.unshift(db.close);
    const { api_key, tenant_id: tenantId } = server.sandbox!;
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const ask = createAsk(baseUrl, api_key);
    const services = servicesOf(config, db);
    const sharing = createSharing({ baseUrl, ask, links: linkDeps(services) });
    const world = { services, ask, clock, db, receiver, sharing, tenantId, tell };
    const newDay = await begin(world);
    const messages = await play(world, realNowMs, newDay);
    await end(world);
    await newDay(STORY_DAYS);
    return { tenantId, messages, days: STORY_DAYS };
  } finally {
    for (const close of closing) await close();
  }
}

function configFor(config: Config, databaseUrl: string): Config {
  return {
    ...config,
    databaseUrl,
    port: 0,
    submissionPort: 0,
    submissionsPort: 0,
    returnPathPort: 0,
    sandboxSmtpPort: 0,
    metricsPort: null,
    sealIntervalMs: SEAL_EVERY_MS,
    webhookAllowPrivate: true,
    // .example does not resolve: no DNS for the daily check.
    dnsServers: ['127.0.0.1:9'],
  };
}

function servicesOf(config: Config, db: Db) {
  return {
    config,
    db,
    clock: systemClock,
    changes: createChanges(db),
    secrets: createLazySecretBox(() => requireMasterKeys(config.masterKeys, config.dataDir)),
  };
}

interface World {
  readonly services: ReturnType<typeof servicesOf>;
  readonly ask: Ask;
  readonly clock: MovedClock;
  readonly db: Db;
  readonly receiver: DemoReceiver;
  readonly sharing: Sharing;
  readonly tenantId: string;
  tell(line: string): void;
}

/** Called for each day, from 0. */
type NewDay = (day: number) => Promise<void>;

async function begin({ services, ask, receiver, tenantId }: World): Promise<NewDay> {
  const { id } = await ask.post('/v1/domains', { name: DOMAIN });
  await markVerified(domainServices(services), tenantId, id);
  await ask.post('/v1/domains', { name: PENDING_DOMAIN });
  const old = await ask.post('/v1/domains', { name: OLD_DOMAIN });
  await ask.post('/v1/senders', { address: `*@${DOMAIN}` });
  for (const template of TEMPLATES) await ask.post('/v1/templates', template);
  await ask.post('/v1/webhooks', { url: receiver.erpUrl, events: ['*'], description: 'ERP' });
  await ask.post('/v1/webhooks', {
    url: receiver.crmUrl,
    events: ['email.bounced', 'email.complained'],
    description: 'CRM',
  });
  await ask.post('/v1/suppressions', {
    address: 'baja@clinicasanrafael.example',
    reason: 'Pidió no recibir correos',
  });
  for (const { role, ...person } of PEOPLE)
    await issueLink(linkDeps(services), { ...person, membership: { tenantId, role } }, BY);
  await createTenant(services, { name: 'Ferretería del Norte', sandbox: true });
  const late = await createTenant(services, { name: 'Muebles Arce', sandbox: true });
  await changeTenant(services, late.tenantId, { status: 'suspended' });
  return (day) => checkOldDomain(domainServices(services), tenantId, old.id, day);
}

async function play(world: World, untilMs: number, newDay: NewDay): Promise<number> {
  const { ask, clock, tell } = world;
  let messages = 0;
  let day = '';
  let days = 0;
  let contracts = 0;
  for (const { atMs, sends } of storyUntil(untilMs)) {
    await clock.moveTo(atMs);
    const today = new Date(atMs).toISOString().slice(0, 10);
    if (today !== day) {
      tell(today);
      await newDay(days++);
    }
    day = today;
    for (const { key, body, cancel } of sends) {
      const { id, copies = [] } = await ask.post('/v1/messages', body, key);
      messages += 1 + copies.length;
      if (cancel === true) await ask.post(`/v1/messages/${id}/cancel`);
    }
    await settle(world);
    if (sends.some(isContract)) await shareProofs(world, contracts++);
    await clock.moveTo(Math.min(atMs + AFTER_MS, untilMs));
    await settle(world);
  }
  return messages;
}

/** After the nth contract: revokes a mistaken share, shares this one. */
async function shareProofs({ sharing }: World, contract: number): Promise<void> {
  await sharing.revoke();
  const share = shareAfter(contract);
  if (share !== undefined) await sharing.share(share);
}

/** A visitor's actions, and what is still pending. */
async function end(world: World): Promise<void> {
  const { ask, clock } = world;
  await clock.moveTo(clock.realNowMs());
  await settle(world);
  const sealed = (await ask.get('/v1/messages?tag=contrato&sealed=true&limit=3')).data as { id: string }[];
  for (const { id } of sealed) await ask.post('/v1/verify', { message_id: id });
  if (sealed[0] !== undefined) await ask.post(`/v1/messages/${sealed[0].id}/seal`);
  await world.sharing.share(LAST_SHARE);
  const [invoice] = (await ask.get('/v1/messages?tag=factura&status=sent&limit=1')).data as { id: string }[];
  if (invoice !== undefined) await ask.post(`/v1/messages/${invoice.id}/resend`, undefined, 'reenvio-1');
  for (const { key, body } of toCome(clock.nowMs())) await ask.post('/v1/messages', body, key);
  await settle(world);
}

async function settle({ db }: World): Promise<void> {
  for (let waitedMs = 0; !(await isSettled(db)); waitedMs += POLL_MS) {
    if (waitedMs > SETTLED_WITHIN_MS) throw new Error('the sandbox is still busy');
    await sleep(POLL_MS);
  }
}

/** Simulates the daily check: .example cannot publish, so that answers are fake and conclusions real. */
async function checkOldDomain(
  deps: VerifyDeps,
  tenantId: string,
  domainId: string,
  day: number,
): Promise<void> {
  const answer = (value: string): DnsAnswer =>
    day < GONE_ON_DAY ? { kind: 'found', values: [value] } : { kind: 'none' };
  const dns = {
    check: async (records: Parameters<VerifyDeps['dns']['check']>[0]) =>
      records.map((record) => judge(record, answer(record.value))),
  };
  await verifyDomain({ ...deps, dns }, tenantId, domainId);
}

/** Two webhook receivers: one fails at times, one always. */
interface DemoReceiver {
  readonly erpUrl: string;
  readonly crmUrl: string;
  close(): Promise<void>;
}

const BAD_ANSWER = 9;

async function startDemoReceiver(): Promise<DemoReceiver> {
  let answered = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      answered++;
      const isBad = request.url === '/crm' || answered % BAD_ANSWER === 0;
      response.writeHead(isBad ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    erpUrl: `http://127.0.0.1:${port}/erp`,
    crmUrl: `http://127.0.0.1:${port}/crm`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The seeded demo runs two weeks in the past, and time advances in jumps. docs/decisions/0024 */
interface MovedClock {
  nowMs(): number;
  /** The machine's clock. */
  realNowMs(): number;
  /** Forward, and only while idle. */
  moveTo(ms: number): Promise<void>;
  giveBack(): Promise<void>;
}

/** Both wall clock and monotonic clock. */
async function moveClock(client: pg.Client, toMs: number): Promise<MovedClock> {
  const [wall, monotonic] = [Date.now, performance.now.bind(performance)];
  let aheadMs = 0;
  let passedMs = 0;

  async function set(ms: number): Promise<void> {
    const next = ms - wall();
    await moveDatabaseClock(client, next);
    passedMs += Math.max(0, next - aheadMs);
    aheadMs = next;
  }

  aheadMs = toMs - wall();
  await moveDatabaseClock(client, aheadMs);
  Date.now = () => wall() + aheadMs;
  define(() => monotonic() + passedMs);
  return {
    nowMs: () => wall() + aheadMs,
    realNowMs: () => wall(),
    async moveTo(ms) {
      if (ms > wall() + aheadMs) await set(ms);
    },
    async giveBack() {
      await returnDatabaseClock(client);
      Date.now = wall;
      define(monotonic);
    },
  };
}

function define(now: () => number): void {
  Object.defineProperty(performance, 'now', { value: now, configurable: true, writable: true });
}
