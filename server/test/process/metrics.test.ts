import { readFileSync } from 'node:fs';
import { eventually } from '@acuse/testkit/eventually';
import { afterEach, expect, test } from 'vitest';
import { idIn, mail, sendRaw } from '../messages/submission/harness.ts';
import { everythingWatched } from '../support/everything-watched.ts';
import { type Exposition, readExposition } from '../support/exposition.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { openRawSmtp } from '../support/raw-smtp.ts';
import { newKey } from '../support/service.ts';

/** `/metrics` of a real process after traffic that the test made. */

const processes = createProcesses();
afterEach(() => processes.end());

async function scrape(url: string): Promise<Exposition> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return readExposition(await answer.text());
}

/**
 * A look-up that a busy machine does not answer in time is left out of a scrape: the first one that has them
 * all.
 */
const LOOKED_UP = [
  'acuse_log_leaves',
  'acuse_stamp_queue_checkpoints',
  'acuse_oldest_unsealed_seconds',
  'acuse_authority_failures',
  'acuse_delivery_queue_messages',
  'acuse_delivery_oldest_unsent_seconds',
  'acuse_webhook_overdue_seconds',
];
const scrapeWhole = (service: Service) =>
  eventually(async () => {
    const seen = await scrape(`${service.baseUrl}/metrics`);
    return LOOKED_UP.every((name) => seen.samples.some((sample) => sample.name === name)) && seen;
  });

test('counts what went in and what became of it, and shows what waits', async () => {
  const service = await processes.start({
    // All metrics that there are.
    env: {
      ...everythingWatched(processes.folder()),
      ACUSE_LOG_ANCHOR: processes.folder(),
      ACUSE_LOG_MIRROR: processes.folder(),
      ACUSE_JOURNAL: processes.folder(),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    },
  });
  const key = newKey();
  const { body: certified } = await service.send({}, key);
  await service.send({}, key);
  const { body: bounced } = await service.send({ to: 'bounced@sandbox.test', certified: false });
  const { body: deferred } = await service.send({ to: 'deferred@sandbox.test', certified: false });
  expect((await service.send({ from: 'a@elsewhere.test' })).status).toBe(422);
  await service.call('GET', '/v1/no/such/route');

  const smtp = await openRawSmtp(service.sandbox.submissions_port!, { tls: true });
  await smtp.command('EHLO client.test');
  await smtp.login('wrong');
  await smtp.login(service.sandbox.api_key);
  const submitted = idIn(await sendRaw(smtp, mail()));
  expect(await sendRaw(smtp, mail({ from: 'a@elsewhere.test' }))).toMatch(/^550 /);
  smtp.end();

  await service.until(certified.id, 'sent');
  await service.until(submitted, 'sent');
  await service.until(bounced.id, 'bounced');
  await service.until(deferred.id, 'deferred');
  await eventually(async () => {
    const { body } = await service.call('GET', `/v1/messages/${submitted}`);
    return body.sealed_at !== null;
  });

  const failures = { witness: 'witness.example/w1' };
  const seen = await eventually(async () => {
    const whole = await scrapeWhole(service);
    return whole.sum('acuse_witness_failures', failures) > 0 && whole;
  });
  const posts = { method: 'POST', route: '/v1/messages' };
  expect(seen.value('acuse_http_requests_total', { ...posts, status: '201' })).toBe(3);
  expect(seen.value('acuse_http_requests_total', { ...posts, status: '200' })).toBe(1);
  expect(seen.value('acuse_http_requests_total', { ...posts, status: '422' })).toBe(1);
  expect(seen.value('acuse_http_requests_total', { route: 'unknown', status: '404' })).toBe(1);
  expect(seen.value('acuse_http_request_seconds_count', posts)).toBe(5);

  expect(seen.value('acuse_messages_accepted_total', { bag: 'certified' })).toBe(2);
  expect(seen.value('acuse_messages_accepted_total', { bag: 'plain' })).toBe(2);
  expect(seen.value('acuse_messages_replayed_total')).toBe(1);
  expect(seen.value('acuse_messages_refused_total', { code: 'domain_not_verified' })).toBe(2);
  // The replay went as far as the commit, which is where its key was found taken.
  expect(seen.value('acuse_ingest_flush_messages_sum')).toBe(5);
  expect(seen.value('acuse_ingest_flush_seconds_sum')).toBeGreaterThan(0);
  expect(seen.value('acuse_ingest_waiting_messages')).toBe(0);

  expect(seen.value('acuse_submission_messages_total', { outcome: 'accepted' })).toBe(1);
  expect(seen.value('acuse_submission_messages_total', { outcome: 'domain_not_verified' })).toBe(1);
  expect(seen.value('acuse_submission_logins_total', { outcome: 'refused' })).toBe(1);
  expect(seen.value('acuse_submission_logins_total', { outcome: 'admitted' })).toBe(1);

  const attempts = (outcome: string, type = '') =>
    seen.value('acuse_delivery_attempts_total', {
      destination: 'sandbox.test',
      outcome,
      bounce_type: type,
    });
  expect(attempts('sent')).toBe(2);
  expect(attempts('bounced', 'hard')).toBe(1);
  expect(attempts('deferred')).toBe(1);
  expect(seen.value('acuse_delivery_attempt_seconds_count', { outcome: 'sent' })).toBe(2);
  expect(seen.sum('acuse_delivery_queue_messages')).toBe(1);
  expect(seen.value('acuse_delivery_queue_messages', { state: 'waiting' })).toBe(1);
  expect(seen.value('acuse_delivery_oldest_unsent_seconds')).toBeGreaterThan(0);

  expect(seen.value('acuse_log_leaves')).toBeGreaterThanOrEqual(2);
  expect(seen.value('acuse_stamp_queue_checkpoints')).toBeLessThanOrEqual(1);
  expect(seen.value('acuse_oldest_unsealed_seconds')).toBeLessThan(300);
  expect(seen.sum('acuse_webhook_queue_deliveries')).toBe(0);
  expect(seen.value('acuse_webhook_overdue_seconds')).toBe(0);
  expect(seen.sum('acuse_db_connections', { pool: 'workers' })).toBeGreaterThan(0);
  expect(seen.value('acuse_db_waiting', { pool: 'requests' })).toBe(0);
  expect(seen.value('process_start_time_seconds')).toBeGreaterThan(0);
  expect(seen.value('acuse_build_info')).toBe(1);
  expect([seen.value('acuse_ready'), seen.value('acuse_recovering')]).toEqual([1, 0]);
  for (const folder of ['data', 'backup']) {
    const free = seen.value('acuse_disk_free_bytes', { folder });
    expect(free).toBeGreaterThan(0);
    expect(seen.value('acuse_disk_size_bytes', { folder })).toBeGreaterThan(free);
  }
  expect(seen.value('acuse_backup_age_seconds')).toBe(Number.POSITIVE_INFINITY);
  const day = 86_400;
  expect(Math.round(seen.value('acuse_certificate_ends_seconds') / day)).toBe(1);
  const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| (`acuse_[^|]*) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  const own = [...seen.types.keys()].filter((name) => name.startsWith('acuse_'));
  expect(documented.sort()).toEqual(own.sort());
  // No tenant, address or key is a label.
  const labels = JSON.stringify(seen.samples.map((sample) => sample.labels));
  for (const private_ of [
    service.sandbox.tenant_id,
    service.sandbox.api_key.slice(0, 20),
    'elsewhere.test',
    '@',
  ])
    expect(labels).not.toContain(private_);
});

test('stand on an address of their own where one is given, and only there', async () => {
  const service = await processes.start({
    databaseUrl: await processes.database(),
    env: { ACUSE_METRICS_PORT: '0' },
  });
  const told = () => /"url":"(http:\/\/127\.0\.0\.1:\d+\/metrics)"/.exec(service.log())?.[1];
  // The log follows the screen that a start prints.
  const url = await eventually(told);
  expect((await scrape(url)).value('acuse_db_waiting', { pool: 'workers' })).toBe(0);
  expect((await fetch(`${service.baseUrl}/metrics`)).status).toBe(404);
  expect((await fetch(url.replace('/metrics', '/v1/messages'))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  expect(await service.stop()).toBe(0);
});

test('a database that is away takes its own metrics away and no others', async () => {
  const { service, proxy } = await processes.startBehindProxy();
  const names = async () =>
    new Set((await scrape(`${service.baseUrl}/metrics`)).samples.map(({ name }) => name));
  expect(await names()).toContain('acuse_log_leaves');
  await proxy.close();
  await eventually(async () => !(await names()).has('acuse_log_leaves'));
  expect(await names()).toContain('acuse_ingest_waiting_messages');
});
