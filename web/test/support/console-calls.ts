import type { ApiCall } from '../../shared/api/calls.ts';

export const ID = '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e6f';
const OTHER_ID = '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e70';

/** Calls of the console that a command repeats, with everything that the screens give. */
export const CALLS: readonly ApiCall[] = [
  get('/overview'),
  get('/tenants?limit=50'),
  get(`/tenants/${ID}`),
  call('POST', '/tenants', { name: "L'Oficina & Co.", default_certified: false, quota_messages_month: 10 }),
  call('PATCH', `/tenants/${ID}`, {
    ...{ name: '-x $(id)', status: 'suspended', source_pool: 'default', default_certified: true },
    ...{ quota_messages_month: 1, quota_plain_messages_month: 2 },
    ...{ price_per_message_cents: 3, price_per_plain_message_cents: 4 },
  }),
  get(`/tenants/${ID}/api-keys?limit=50`),
  call('DELETE', `/tenants/${ID}/api-keys/${OTHER_ID}`),
  get(`/tenants/${ID}/domains?limit=50`),
  call('POST', `/tenants/${ID}/domains/${OTHER_ID}/vouch`),
  get(`/tenants/${ID}/members?limit=50`),
  call('POST', `/tenants/${ID}/members`, { email: 'ana@example.com', name: 'Ana López', role: 'owner' }),
  get(`/tenants/${ID}/queue`),
  get('/queue?by=age&destination=example.com&limit=20'),
  get('/queue/destinations/example.com'),
  get('/queue/selection?destination=example.com'),
  call('PUT', '/queue/pauses/destinations/example.com', { reason: 'ticket 4711' }),
  call('PUT', `/queue/pauses/tenants/${ID}`, { reason: "they don't" }),
  call('DELETE', '/queue/pauses/destinations/example.com'),
  call('DELETE', `/queue/pauses/tenants/${ID}`),
  get('/queue/notes?destination=example.com'),
  call('PUT', '/queue/notes/example.com/conversations', { value: 2, reason: "they don't", days: 30 }),
  call('DELETE', '/queue/notes/example.com/no_tls'),
  get('/queue/caps'),
  call('POST', '/queue/caps', {
    source: 'a.example.com',
    receiver: '*',
    warms_up: true,
    reason: "they don't",
    steps: [50, 100],
  }),
  call('POST', '/queue/caps', {
    tenant_id: ID,
    period: 'hour',
    steps: [500],
    reason: 'ticket 4711',
    days: 30,
  }),
  call('DELETE', `/queue/caps/${ID}`),
  get(`/messages/${ID}`),
  call('POST', `/messages/${ID}/cancel`),
  call('POST', `/messages/${ID}/erase`, { reason: 'ticket 4711', force: true }),
  get('/sealing?month=2026-11'),
  get('/sealing/authorities'),
  get('/sealing/costs?month=2026-11'),
  get('/sealing/witnesses'),
  call('POST', '/sealing/renewals'),
  call('POST', '/sealing/checks'),
  get('/suppressions?limit=50'),
  call('POST', '/suppressions', { address: "o'hara@example.com", reason: 'asked' }),
  call('DELETE', '/suppressions/ana%40example.com'),
  get('/role-mail?role=abuse&limit=50'),
  get(`/role-mail/${ID}/raw`),
  call('DELETE', `/role-mail/${ID}`),
  get('/retention'),
  get('/configuration'),
  get('/operators?limit=50'),
  call('POST', '/operators', { email: 'ana@example.com', name: 'Ana', role: 'support' }),
  call('POST', `/operators/${ID}/link`),
  call('PATCH', `/operators/${ID}`, { role: 'admin' }),
  call('DELETE', `/operators/${ID}`),
  call('DELETE', `/operators/${ID}/second-factor`),
];

export function get(path: string): ApiCall {
  return call('GET', path);
}

export function call(method: string, path: string, body?: unknown): ApiCall {
  return { method, path, body };
}
