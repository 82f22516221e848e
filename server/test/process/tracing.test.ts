import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { afterEach, expect, inject, test } from 'vitest';
import { type Collector, type ReceivedSpan, startCollector } from '../support/collector.ts';
import { readExposition } from '../support/exposition.ts';
import { createProcesses, type Service } from '../support/process.ts';

/** Traces of a real process, as an OTLP receiver gets them; and what a receiver that is away costs. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

const processes = createProcesses();
const collectors: Pick<Collector, 'close'>[] = [];
afterEach(async () => {
  await processes.end();
  for (const collector of collectors.splice(0)) await collector.close();
});

async function collect(options?: Parameters<typeof startCollector>[0]): Promise<Collector> {
  const collector = await startCollector(options);
  collectors.push(collector);
  return collector;
}

/** An endpoint that takes every webhook. */
async function receiveHooks(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  collectors.push({
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A send with headers of its own; answers with the message's id. */
async function sendWith(service: Service, headers: Record<string, string>, fields: object = {}) {
  const mail = { from: 'billing@sandbox.test', subject: 'Secret subject', text: 'Secret words' };
  const body = { ...mail, to: 'delivered@sandbox.test', certified: true, ...fields };
  const answer = await service.call('POST', '/v1/messages', body, headers);
  expect(answer.status).toBe(201);
  return { id: answer.body.id as string, requestId: answer.headers.get('request-id') };
}

function oneSpan(collector: Collector, is: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
  return eventually(() => collector.spans.find(is));
}

const isRequest = (requestId: string | null) => (span: ReceivedSpan) =>
  span.attributes['acuse.request_id'] === requestId;

async function counted(service: Service, metric: string, outcome: string): Promise<number> {
  const answer = await fetch(`${service.baseUrl}/metrics`);
  return readExposition(await answer.text()).value(metric, { outcome });
}

test('a send, its delivery, its webhook and its seal arrive as spans that lead to each other', async () => {
  const collector = await collect();
  const service = await processes.start({
    databaseUrl: await processes.database(),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'mail-test',
      ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  });
  const hook = { url: `${await receiveHooks()}/hook`, events: ['email.sent'] };
  expect((await service.call('POST', '/v1/webhooks', hook)).status).toBe(201);

  const sent = await sendWith(service, {
    'idempotency-key': 'traced-1',
    traceparent: `00-${TRACE}-${CALLER}-01`,
    tracestate: 'vendor=secret-state',
  });
  const request = await oneSpan(collector, isRequest(sent.requestId));
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, kind: 2, service: 'mail-test' });
  expect(request.name).toBe('POST /v1/messages');
  expect(request.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/v1/messages',
    'http.response.status_code': 201,
    'acuse.request_id': sent.requestId,
    'acuse.message_id': sent.id,
  });
  expect(BigInt(request.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano));

  const trace = sent.id.replaceAll('-', '');
  const of = (name: string) => (span: ReceivedSpan) =>
    span.name === name && span.attributes['acuse.message_id'] === sent.id;
  const accepted = await oneSpan(collector, of('accept message'));
  expect(accepted).toMatchObject({ traceId: trace, links: [{ traceId: TRACE, spanId: request.spanId }] });
  expect(request.links).toMatchObject([{ traceId: trace, spanId: accepted.spanId }]);

  const attempt = await oneSpan(collector, of('attempt delivery'));
  expect(attempt).toMatchObject({ traceId: trace, parentSpanId: accepted.spanId, kind: 3 });
  expect(attempt.attributes).toMatchObject({
    'acuse.outcome': 'sent',
    'acuse.smtp.reply_class': '2xx',
    'server.address': 'sandbox.test',
    'tls.protocol.version': expect.stringMatching(/^TLSv1\.[23]$/),
  });
  const told = await oneSpan(
    collector,
    (span) => of('attempt webhook')(span) && span.attributes['acuse.outcome'] === 'delivered',
  );
  expect(told).toMatchObject({ traceId: trace, parentSpanId: accepted.spanId });
  expect(told.attributes).toMatchObject({ 'acuse.event_type': 'email.sent' });

  const seal = await oneSpan(collector, ({ name }) => name === 'seal batch');
  const stamp = await oneSpan(
    collector,
    ({ name, attributes }) =>
      name === 'request time-stamp' && attributes['acuse.batch_id'] === seal.attributes['acuse.batch_id'],
  );
  expect(stamp).toMatchObject({ traceId: seal.traceId, parentSpanId: seal.spanId });
  expect(stamp.attributes['acuse.outcome']).toBe('sealed');

  await hostileCallers(service, collector);
  for (const secret of ['Secret', 'delivered@', 'secret-state', service.sandbox.api_key])
    expect(collector.text()).not.toContain(secret);
  expect(await counted(service, 'acuse_trace_spans_total', 'exported')).toBeGreaterThan(0);
  expect(await counted(service, 'acuse_webhook_attempts_total', 'delivered')).toBeGreaterThan(0);

  // Unsent spans are sent at a stop.
  const last = await sendWith(service, { 'idempotency-key': 'traced-last' });
  expect(await service.stop()).toBe(0);
  expect(collector.spans.some(isRequest(last.requestId))).toBe(true);
});

/** A traceparent that is none, or a stranger's, begins no span of theirs. */
async function hostileCallers(service: Service, collector: Collector): Promise<void> {
  const hostile = [
    `00-${TRACE}-${CALLER}-01, 00-${TRACE}-${CALLER}-01`,
    `00-${'0'.repeat(32)}-${CALLER}-01`,
    `ff-${TRACE}-${CALLER}-01`,
    `00-${TRACE}-${CALLER}-01-more`,
    `00-${TRACE}-${'A'.repeat(8_000)}-01`,
    "'; drop table messages; --",
  ];
  for (const traceparent of hostile) {
    const answer = await service.call('GET', '/v1/messages', undefined, { traceparent });
    expect(answer.status).toBe(200);
    const span = await oneSpan(collector, isRequest(answer.headers.get('request-id')));
    expect(span.traceId).not.toBe(TRACE);
    expect(span.parentSpanId ?? '').toBe('');
  }
  const stranger = await service.call('GET', '/v1/messages', undefined, {
    authorization: 'Bearer acuse_nobody',
    traceparent: `00-${TRACE}-${CALLER}-01`,
  });
  expect(stranger.status).toBe(401);
  const refused = await oneSpan(collector, isRequest(stranger.headers.get('request-id')));
  expect(refused.traceId).not.toBe(TRACE);
}

test('a collector that hangs, then is away, costs its spans, one line and no stop', async () => {
  const collector = await collect('hangs');
  const service = await processes.start({
    databaseUrl: await processes.database(),
    env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` },
  });
  const told = () => service.log().split('the collector takes no traces').length - 1;
  const first = await sendWith(service, { 'idempotency-key': 'hanging-1' });
  await service.until(first.id, 'sent');
  await eventually(async () => (await counted(service, 'acuse_trace_spans_total', 'failed')) > 0);
  expect(collector.requests()).toBeGreaterThan(0);
  expect(told()).toBe(1);

  collector.mood = 'away';
  const before = await counted(service, 'acuse_trace_spans_total', 'failed');
  const second = await sendWith(service, { 'idempotency-key': 'away-1' });
  await service.until(second.id, 'sent');
  await eventually(async () => (await counted(service, 'acuse_trace_spans_total', 'failed')) > before);
  expect(told()).toBe(1);

  // Back, it gets what happens from then on.
  collector.mood = 'answers';
  await eventually(async () => {
    await service.call('GET', '/v1/messages');
    return (await counted(service, 'acuse_trace_spans_total', 'exported')) > 0 && collector.spans.length > 0;
  });
  collector.mood = 'hangs';
  await sendWith(service, { 'idempotency-key': 'away-2' });
  expect(await service.stop()).toBe(0);
});

test('without a collector nothing of OpenTelemetry is loaded', () => {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(program.error);
  const folder = join(program.path, '..');
  // Its parts are in one chunk, and the code that names that chunk imports it when it is asked for.
  const chunks = [...readFileSync(program.path, 'utf8').matchAll(/"\.\/([\w-]+\.mjs)"/g)].map(
    ([, name]) => name!,
  );
  const seen = new Set<string>();
  const reached = [...chunks];
  for (let name = reached.pop(); name !== undefined; name = reached.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, next] of text.matchAll(/"\.\/([\w-]+\.mjs)"/g)) reached.push(next!);
    if (/^open-telemetry-/.test(name)) continue;
    expect(text).not.toMatch(/from "\.\/open-telemetry-|BatchSpanProcessor/);
  }
  const current = [...seen].filter((name) => name.startsWith('open-telemetry-'));
  expect(current).toHaveLength(1);
  expect(readdirSync(folder)).toContain(current[0]);
  expect(readFileSync(join(folder, current[0]!), 'utf8')).toContain('BatchSpanProcessor');
});
