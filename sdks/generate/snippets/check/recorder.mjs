// A service that answers each call with the contract's example and keeps what it was asked for.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isDeepStrictEqual } from 'node:util';

const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../../../contract/${name}`, import.meta.url), 'utf8'));
const contract = read('openapi.json');
const instances = read('vectors/examples.json');
/** A checkpoint, and the key that signed it. */
const notes = read('vectors/notes.json');
export const pinnedKey = notes.log_key;

/** Runs `work` with the recorder's address; answers the requests that were made, in their order. */
export async function recorded(calls, work) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const call = calls[requests.length];
    requests.push({
      method: request.method,
      url: request.url,
      body: Buffer.concat(chunks).toString('utf8'),
      key: request.headers['idempotency-key'] ?? null,
    });
    answer(response, call);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return requests;
}

function answer(response, call) {
  if (call === undefined) return response.writeHead(400).end();
  const { operation } = call;
  const { responses } = contract.paths[operation.path][operation.http.toLowerCase()];
  const [status, { content }] = Object.entries(responses).find(([each]) => each.startsWith('2'));
  if (content === undefined) return response.writeHead(Number(status)).end();
  const isJson = operation.result === 'json' || operation.result === 'page';
  const media = isJson ? 'application/json' : Object.keys(content)[0];
  const body = isJson ? JSON.stringify(exampleOf(content[media], call)) : notes.cases[0].note;
  const headers = { 'Content-Type': media, 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(Number(status), headers).end(body);
}

/** Of an object its full instance: the contract's examples leave out what may be anything. */
function exampleOf({ example, schema }, { operation, body }) {
  const full = instances[schema.$ref?.split('/').at(-1)]?.full;
  if (operation.result === 'json' && operation.id !== 'sendBatch') return full ?? example;
  if (operation.result === 'page') return { ...example, next_cursor: null };
  if (operation.id !== 'sendBatch') return example;
  return { ...example, results: body.messages.map((_, index) => ({ ...example.results[0], index })) };
}

/** Faults in the requests, as lines. */
export function differences(calls, requests) {
  const made = `${requests.length} requests for ${calls.length} calls`;
  return [
    ...(requests.length === calls.length ? [] : [made]),
    ...calls.slice(0, requests.length).flatMap((call, at) => {
      const wanted = wantedOf(call);
      const found = foundOf(requests[at], call);
      return Object.keys(wanted)
        .filter((part) => !isDeepStrictEqual(wanted[part], found[part]))
        .map((part) => `${call.operation.id}: ${part} is ${show(found[part])}, not ${show(wanted[part])}`);
    }),
  ];
}

const show = (value) => JSON.stringify(value);

function wantedOf({ operation, params, query, body, key }) {
  const values = [...params];
  return {
    method: operation.http,
    path: operation.path
      .split('/')
      .flatMap((each) =>
        each.startsWith('{') ? values.shift().split(operation.slashes ? '/' : '\0') : [each],
      ),
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    body: body ?? null,
    key: operation.id === 'sendBatch' ? null : key,
  };
}

function foundOf({ method, url, body, key }, call) {
  const { pathname, searchParams } = new URL(url, 'http://x');
  const query = {};
  for (const [name, value] of searchParams) query[name] = name in query ? `${query[name]},${value}` : value;
  const isJson = call.operation.media === 'application/json' && body !== '';
  return {
    ...{ method, key, query },
    path: pathname.split('/').map(decodeURIComponent),
    body: isJson ? JSON.parse(body) : body === '' ? null : body,
  };
}
