// The suite's operations, each by the library's own method for it.
import { readFile, stat } from 'node:fs/promises';
import { inspect } from 'node:util';
import { Acuse, Attachment, ProtocolError, VERSION, verifyWebhook } from '@acuse/client';
import { TRUST_BUNDLE, verifyBundle } from '@acuse/client/verify';
import { OPERATIONS, SCHEMAS } from '../dist/contract-generated.js';
import { readSettings } from '../dist/options.js';
import { misfit } from '../dist/shapes.js';

/** Level of offline verification: time-stamps and revocation data too. */
const LEVEL = 3;

const orNull = (value) => value ?? null;
const optional = (value) => value ?? undefined;

export const OPS = {
  info: () => ({
    language: 'typescript',
    version: VERSION,
    user_agent: readSettings({ baseUrl: 'http://localhost' }).userAgent,
    level: LEVEL,
    operations: operationsOf(new Acuse({ apiKey: 'acuse_info_0', baseUrl: 'http://localhost' })),
  }),

  async send({ message, idempotency_key }, { makeClient, call }) {
    return sent(await makeClient().messages.send(message, optional(idempotency_key), call));
  },

  async send_raw({ content, idempotency_key }, { makeClient, call }) {
    const bytes = new Uint8Array(Buffer.from(content, 'base64'));
    return sent(await makeClient().messages.sendRaw(bytes, optional(idempotency_key), call));
  },

  async send_many({ message, count, keys, threads }, { makeClient, call, describe }) {
    const client = makeClient();
    const results = [];
    let next = 0;
    const work = async () => {
      while (next < count) {
        const at = next++;
        const numbered = { ...message, subject: `${message.subject} ${at}` };
        const key = typeof keys === 'string' ? `${keys}${at}` : undefined;
        results[at] = await client.messages.send(numbered, key, call).then(
          (each) => ({ id: each.message.id, replayed: each.replayed }),
          (error) => ({ error: describe(error) }),
        );
      }
    };
    await Promise.all(Array.from({ length: threads }, work));
    return { results };
  },

  async send_file({ message, path, idempotency_key }, { makeClient, call }) {
    const attachments = [...(message.attachments ?? []), await Attachment.fromFile(path)];
    return sent(
      await makeClient().messages.send({ ...message, attachments }, optional(idempotency_key), call),
    );
  },

  async send_batch({ items }, { makeClient, call, describe }) {
    const outcomes = await makeClient().messages.sendBatch(items, call);
    return {
      results: outcomes.map(({ status, idempotencyKey, message, error }) => ({
        status,
        idempotency_key: idempotencyKey,
        message: orNull(message),
        error: error === undefined ? null : describe(error),
      })),
    };
  },

  async call(args, { makeClient, call }) {
    const { method, values } = bind(makeClient(), args, call);
    const value = await method(...values);
    if (value === undefined) return null;
    if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
    if (typeof value === 'string') return { text: value };
    if (typeof value.pages === 'function') return value.page();
    return 'idempotencyKey' in value ? sent(value) : value;
  },

  async list(args, { makeClient, call }) {
    const { method, values } = bind(makeClient(), args, call);
    const items = [];
    for await (const item of method(...values)) {
      if (args.take !== undefined && items.length >= args.take) return { items, more: true };
      items.push(item);
      if (args.take !== undefined && items.length >= args.take) return { items, more: true };
    }
    return { items, more: false };
  },

  async pages(args, { makeClient, call }) {
    const { method, values } = bind(makeClient(), args, call);
    const pages = [];
    for await (const page of method(...values).pages()) {
      pages.push(page.data);
      if (pages.length >= (args.take ?? Number.POSITIVE_INFINITY)) break;
    }
    return { pages };
  },

  async download_bundle({ message_id, path }, { makeClient, call }) {
    const before = memoryInUse();
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, memoryInUse());
    }, 20);
    try {
      await makeClient().evidence.downloadBundle(message_id, path, call);
    } finally {
      clearInterval(watch);
    }
    return { bytes: (await stat(path)).size, peak_bytes: peak - before };
  },

  wait_until_sealed: ({ message_id, within_ms }, { makeClient, call }) =>
    makeClient().evidence.waitUntilSealed(message_id, { withinMs: optional(within_ms), ...call }),

  verify_webhook: (args) => verified(args),

  async verify_bundle({ path, policy, at, now, eml }) {
    const report = await verifyBundle(new Uint8Array(await readFile(path)), {
      policy: policy === 'TRUST_BUNDLE' ? TRUST_BUNDLE : await readFile(policy, 'utf8'),
      at: at === undefined || at === null ? undefined : new Date(at),
      now: now === undefined || now === null ? undefined : new Date(now),
      eml: eml === undefined || eml === null ? undefined : new Uint8Array(await readFile(eml)),
    });
    const { verdict, valid, reasons, warnings, trust, sealed_at, development, checks, copy } = report;
    const names = (remarks) => remarks.map(({ name }) => name);
    const said = { verdict, valid, reasons: names(reasons), warnings: names(warnings) };
    return { ...said, trust, sealed_at, development, checks, copy };
  },

  async log_checkpoint({ pinned_key }, { makeClient, call }) {
    return checkpoint(await makeClient().log.checkpoint(pinned_key, call));
  },

  async log_follow({ pinned_key, saved }, { makeClient, call }) {
    return checkpoint(await makeClient().log.follow(saved, pinned_key, call));
  },

  async check_promise({ message, pinned_key }, { makeClient, call }) {
    return { state: await makeClient().log.checkPromise(message, pinned_key, call) };
  },

  roundtrip({ schema, value }) {
    const wrong = SCHEMAS[schema] === undefined ? undefined : misfit(value, schema, SCHEMAS);
    if (wrong !== undefined) throw new ProtocolError(wrong);
    return JSON.parse(JSON.stringify(value));
  },

  async print({ what, message, ...args }, { makeClient, options }) {
    if (what === 'client') return { texts: printed(makeClient()) };
    if (what === 'event') return { texts: printed(await verified(args)) };
    if (what === 'error') {
      const error = await makeClient()
        .messages.send(message)
        .then(
          () => new Error('it was sent'),
          (each) => each,
        );
      return { texts: printed(error) };
    }
    // There is no object of a request: what shows one is the hook, and what a send answers or throws.
    const texts = [];
    const client = makeClient().withOptions({ onAttempt: (report) => texts.push(...printed(report)) });
    const pending = client.messages.send(message, options.print_key ?? undefined);
    texts.push(...printed(pending));
    await pending.then(
      () => {},
      (error) => texts.push(...printed(error)),
    );
    return { texts };
  },
};

function sent({ message, replayed, idempotencyKey, attempts, requestId }) {
  return { message, replayed, idempotency_key: idempotencyKey, attempts, request_id: orNull(requestId) };
}

function checkpoint(saved) {
  const { origin, tree_size, root_hash } = saved;
  return { origin, tree_size, root_hash, saved };
}

async function verified({ body, body_base64, parsed, headers, secrets, tolerance, now, accept_unstamped }) {
  const bytes = body_base64 === undefined ? Buffer.from(body ?? '') : Buffer.from(body_base64, 'base64');
  const event = await verifyWebhook(parsed === undefined ? bytes : parsed, headers, secrets, {
    toleranceMs: typeof tolerance === 'number' ? tolerance * 1_000 : undefined,
    acceptUnstamped: optional(accept_unstamped),
    clock: typeof now === 'number' ? () => now * 1_000 : undefined,
  });
  return event;
}

/** What is held, without what a collection would free: the shim is started with --expose-gc. */
function memoryInUse() {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Every way in which Node prints something. */
function printed(thing) {
  return [
    String(thing),
    `${inspect(thing, { depth: null, showHidden: true, getters: true })}`,
    inspect({ thing }, { depth: null }),
    JSON.stringify(thing) ?? '',
    JSON.stringify({ thing }),
    thing?.stack ?? '',
  ];
}

/** Resource and method of everything that a client can call, as the contract names it. */
function operationsOf(client) {
  return Object.entries(client)
    .flatMap(([resource, object]) => methodsOf(object).map((method) => `${resource}.${method}`))
    .filter((name) => Object.hasOwn(OPERATIONS, name))
    .sort();
}

function methodsOf(object) {
  const names = new Set();
  for (let at = Object.getPrototypeOf(object); at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name);
  return [...names];
}

/** The method with its arguments in order: path, body, key, query, options. */
function bind(client, { operation, params = {}, body, idempotency_key }, call) {
  const known = OPERATIONS[operation];
  if (known === undefined) throw new Error(`no operation ${operation}`);
  const [resource, name] = operation.split('.');
  const inPath = [...known.path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each);
  const query = Object.fromEntries(Object.entries(params).filter(([each]) => !inPath.includes(each)));
  const values = inPath.map((each) => params[each]);
  if (known.media !== null) values.push(known.media.endsWith('json') ? body : bytesOf(body));
  if (known.keyed) values.push(optional(idempotency_key));
  if (known.query.length > 0) values.push(query);
  if (operation === 'log.checkpoint') values.push(undefined);
  values.push(call);
  return { method: client[resource][name].bind(client[resource]), values };
}

function bytesOf(body) {
  if (typeof body?.base64 === 'string') return new Uint8Array(Buffer.from(body.base64, 'base64'));
  return typeof body?.text === 'string' ? body.text : body;
}
