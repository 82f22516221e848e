/** The server of FakeAcuse: keys, replays, refusals. */
import { SCHEMAS } from '../contract-generated.ts';
import { STATUSES } from '../errors-generated.ts';
import type { HttpAnswer, HttpRequest, Transport } from '../transport/transport.ts';
import type { BatchItem, Message } from '../types-generated.ts';

type Given = Omit<BatchItem, 'idempotency_key'> | string;

export interface FakeState {
  readonly sent: { idempotencyKey: string; message: Message; given: Given }[];
  readonly refusals: { readonly code: string; readonly message?: string | undefined }[];
  /** Idempotency key → the submission as text. */
  readonly seen: Map<string, string>;
}

type Answer = { status: number; body: unknown; replayed?: boolean };

export function fakeTransport(state: FakeState): Transport {
  return {
    exchange: (request) => Promise.resolve(toHttp(answer(state, request))),
    close: () => {},
  };
}

function answer(state: FakeState, request: HttpRequest): Answer {
  const refusal = state.refusals.shift();
  if (refusal !== undefined) return refused(refusal.code, refusal.message);
  const { pathname } = new URL(request.url);
  const text = new TextDecoder().decode(request.body);
  if (request.method === 'POST' && pathname === '/v1/messages')
    return send(state, request.headers['Idempotency-Key'] ?? '', givenOf(request, text));
  if (request.method === 'POST' && pathname === '/v1/messages/batch') return batch(state, JSON.parse(text));
  const id = /^\/v1\/messages\/([^/]+)$/.exec(pathname)?.[1];
  const found = state.sent.find(({ message }) => message.id === id);
  if (request.method === 'GET' && found !== undefined) return { status: 200, body: found.message };
  if (request.method === 'GET' && pathname === '/v1/messages') {
    const data = state.sent.map(({ message }) => message).reverse();
    return { status: 200, body: { data, next_cursor: null, scanned_to: null } };
  }
  return refused('not_found');
}

function givenOf(request: HttpRequest, text: string): Given {
  return request.headers['Content-Type'] === 'application/json' ? JSON.parse(text) : text;
}

function send(state: FakeState, idempotencyKey: string, given: Given): Answer {
  // A send alone and an item of a batch may have the same fields in another order.
  const submission = JSON.stringify(typeof given === 'string' ? given : Object.entries(given).sort());
  const before = state.seen.get(idempotencyKey);
  if (before !== undefined && before !== submission) return refused('idempotency_key_reused');
  const known = state.sent.find((each) => each.idempotencyKey === idempotencyKey);
  if (known !== undefined) return { status: 200, body: known.message, replayed: true };
  const message = messageOf(idempotencyKey, given);
  state.seen.set(idempotencyKey, submission);
  state.sent.push({ idempotencyKey, message, given });
  return { status: 201, body: message };
}

function batch(state: FakeState, { messages }: { messages: BatchItem[] }): Answer {
  const results = messages.map(({ idempotency_key, ...given }, index) => {
    const { status, body, replayed } = send(state, idempotency_key, given);
    if (status >= 400) return { index, status: 'failed', error: (body as { error: object }).error };
    return { index, status: replayed ? 'replayed' : 'created', message: body };
  });
  const count = (status: string) => results.filter((each) => each.status === status).length;
  const counts = { created: count('created'), failed: count('failed'), replayed: count('replayed') };
  return { status: 200, body: { ...counts, results } };
}

/** Fields of a message that nothing has happened to. */
const NEVER = Object.fromEntries(
  Object.entries(SCHEMAS.Message ?? {})
    .filter(([, shape]) => shape.startsWith('?'))
    .map(([name]) => [name.replace('?', ''), null]),
) as Partial<Message>;

function messageOf(idempotencyKey: string, given: Given): Message {
  const now = new Date().toISOString();
  const fields = typeof given === 'string' ? headersOf(given) : given;
  const to = Array.isArray(fields.to) ? fields.to[0] : fields.to;
  return {
    ...NEVER,
    id: globalThis.crypto.randomUUID(),
    idempotency_key: idempotencyKey,
    from: String(fields.from ?? ''),
    to: String(to ?? ''),
    subject: String(fields.subject ?? ''),
    certified: typeof given === 'string' ? true : (given.certified ?? true),
    status: 'queued',
    tags: [],
    metadata: {},
    size_bytes: JSON.stringify(given).length,
    created_at: now,
    queued_at: now,
    attempts: 0,
    next_attempt_at: now,
  } as Message;
}

function headersOf(raw: string): { from?: string; to?: string; subject?: string } {
  const head = raw.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const pairs = head.split(/\r?\n/).map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}

function refused(code: string, message = `Refused by the test: ${code}.`): Answer {
  return { status: STATUSES[code] ?? 422, body: { error: { code, message } } };
}

function toHttp({ status, body, replayed }: Answer): HttpAnswer {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'request-id': 'fake',
      ...(replayed && { 'idempotent-replayed': 'true' }),
    },
    body: (async function* () {
      yield bytes;
    })(),
  };
}
