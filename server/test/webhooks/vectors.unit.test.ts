import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const VECTORS = join(import.meta.dirname, '../../../contract/vectors');
const read = (name: string) => JSON.parse(readFileSync(join(VECTORS, name), 'utf8'));

interface Case {
  name: string;
  body: string;
  headers: Record<string, string>;
  secrets: string[];
  now: number;
  tolerance: number;
  accept_unstamped: boolean;
  out: object;
}

/** The steps of contract/vectors/README.md, as a receiver would write them. */
function receive({ body, headers, secrets, now, tolerance, accept_unstamped }: Case): object {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const header = (name: string) => named.get(name) || null;
  const keys = secrets.map((secret) => {
    const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
    return text === undefined ? null : Buffer.from(text, 'base64');
  });
  if (keys.length === 0 || keys.includes(null)) return { reason: 'bad_secret' };
  const [id, time, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  if (id && time && signature) {
    if (!/^[0-9]{1,12}$/.test(time)) return { reason: 'malformed_header' };
    if (now - Number(time) > tolerance) return { reason: 'too_old' };
    if (Number(time) - now > tolerance) return { reason: 'too_new' };
    const wanted = keys.map(
      (key) => `v1,${createHmac('sha256', key!).update(`${id}.${time}.${body}`).digest('base64')}`,
    );
    const given = signature.split(' ').filter((part) => part !== '');
    if (!given.slice(0, 10).some((part) => wanted.some((each) => same(part, each))))
      return { reason: 'no_match' };
    return eventOf(body, id);
  }
  if (id || time || signature) return { reason: 'missing_header' };
  const plain = ['service-signature', 'service-signature-previous'].flatMap((name) => header(name) ?? []);
  if (plain.length === 0) return { reason: 'missing_header' };
  if (!accept_unstamped) return { reason: 'unstamped' };
  const wanted = secrets.map((secret) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  if (!plain.some((part) => wanted.some((each) => same(part, each)))) return { reason: 'no_match' };
  return eventOf(body, null);
}

const same = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

function eventOf(body: string, id: string | null): object {
  let value: Record<string, unknown> | null = null;
  try {
    value = JSON.parse(body);
  } catch {
    return { reason: 'malformed_body' };
  }
  const { type, created_at, data } = value ?? {};
  const isEvent = typeof type === 'string' && typeof created_at === 'string';
  if (!isEvent || typeof data !== 'object' || data === null || Array.isArray(data))
    return { reason: 'malformed_body' };
  const event_id = id ?? (data as { event_id: string }).event_id;
  return { event: { type, created_at, data, event_id, replay_protected: id !== null } };
}

const { cases } = read('webhooks.json') as { cases: Case[] };

test.each(cases.map((each) => [each.name, each] as const))('a delivery: %s', (_name, each) => {
  expect(receive(each)).toEqual(each.out);
});

test('every reason and every type of event occurs', () => {
  const reasons = cases.flatMap(({ out }) => ('reason' in out ? [out.reason] : []));
  expect([...new Set(reasons)].sort()).toEqual(
    ['bad_secret', 'malformed_body', 'malformed_header', 'missing_header', 'no_match'].concat(
      'too_new',
      'too_old',
      'unstamped',
    ),
  );
  const { webhooks } = JSON.parse(readFileSync(join(VECTORS, '../openapi.json'), 'utf8'));
  const types = cases.flatMap(({ out }) => ('event' in out ? [(out.event as { type: string }).type] : []));
  expect(types).toEqual(expect.arrayContaining(Object.keys(webhooks)));
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test('the full example of a schema has every field of it, and none is null', () => {
  const { schemas } = JSON.parse(readFileSync(join(VECTORS, '../openapi.json'), 'utf8')).components;
  const examples = read('examples.json');
  expect(Object.keys(examples)).toEqual(Object.keys(schemas).sort());
  for (const [name, schema] of Object.entries(schemas as Record<string, { properties?: object }>)) {
    if (schema.properties === undefined) continue;
    expect([name, Object.keys(examples[name].full).sort()]).toEqual([
      name,
      Object.keys(schema.properties).sort(),
    ]);
    expect(JSON.stringify(examples[name].full).replaceAll('true,null]', '')).not.toContain('null');
  }
});
