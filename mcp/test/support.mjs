// Clients of both protocol eras, over each way to the server.
import { Acuse } from '@acuse/client';
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { readConfig } from '../dist/config.js';
import { createServer } from '../dist/server.js';
import { openSession } from '../dist/session.js';

const { ACUSE_URL: url, ACUSE_API_KEY: key } = process.env;
export const MAIN = new URL('../dist/main.js', import.meta.url).pathname;
export const ERAS = ['2026-07-28', 'legacy'];

/** For `describe`: skipped, with the reason, where no service runs. */
export const live = { skip: url === undefined && 'no service: use test/run.mjs' };

export function acuse(apiKey = key) {
  return new Acuse({ apiKey, baseUrl: url });
}

/**
 * The official client. `answer`: what the person says when asked; a function: the client opens addresses, and
 * this is what they do there; undefined: it cannot ask.
 */
export function makeClient(era, answer) {
  const asked = [];
  const opens = typeof answer === 'function';
  const mode = era === 'legacy' ? 'legacy' : { pin: era };
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer === undefined ? {} : { elicitation: opens ? { url: {} } : { form: {} } },
      versionNegotiation: { mode },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', (request) => {
      asked.push(request.params.message);
      if (opens) return answer(request.params.url);
      return answer === 'accept' ? { action: 'accept', content: { send: true } } : { action: answer };
    });
  return { client, asked };
}

/** Variables → environment of a server on the service of the tests. */
export function envOf(variables = {}, apiKey = key) {
  return { PATH: process.env.PATH, ACUSE_URL: url, ACUSE_API_KEY: apiKey, ...variables };
}

/** In this process. `acuse`, `clock`: in place of the real ones. */
export async function inProcess({ era, answer, variables, apiKey = key, ...rest }) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const config = readConfig(envOf(variables, apiKey));
  const session = openSession({ apiKey, config, way: 'stdio', log: () => {}, ...rest });
  const server = serveStdio(() => createServer(session), { transport: theirs });
  const { client, asked } = makeClient(era, answer);
  const wire = tap(ours);
  await client.connect(ours);
  return {
    client,
    asked,
    wire,
    call: caller(client),
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}

/** Watches a transport: `sent` by the client, and `ask`, which sends a request of one's own past it. */
function tap(transport) {
  const sent = [];
  const waiting = new Map();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    sent.push(message);
    return send(message, options);
  };
  let receive;
  Object.defineProperty(transport, 'onmessage', {
    get: () => receive && ((message, extra) => (waiting.get(message.id) ?? receive)(message, extra)),
    set: (handler) => {
      receive = handler;
    },
  });
  const ask = (request) =>
    new Promise((resolve) => {
      const id = `own-${waiting.size}`;
      waiting.set(id, resolve);
      send({ ...request, id });
    });
  return { sent, ask };
}

export async function overStdio({ era, answer, variables, apiKey }) {
  const { client, asked } = makeClient(era, answer);
  const env = envOf(variables, apiKey);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN], env, stderr: 'ignore' }),
  );
  return { client, asked, call: caller(client), close: () => client.close() };
}

export async function overHttp({ era, answer, apiKey = key, address }) {
  const { client, asked } = makeClient(era, answer);
  const headers = { authorization: `Bearer ${apiKey}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  return { client, asked, call: caller(client), close: () => client.close() };
}

/** Calls a tool: `{output}` or `{error}`. */
export function caller(client) {
  return async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    if (!result.isError) return { output: result.structuredContent, result };
    const { text } = result.content[0];
    try {
      return { error: JSON.parse(text).error, result };
    } catch {
      return { error: { code: 'invalid_arguments', message: text }, result };
    }
  };
}

export function draft(fields = {}) {
  return {
    from: 'billing@sandbox.test',
    to: 'delivered@sandbox.test',
    subject: 'Invoice 1',
    text: 'Hello.',
    certified: false,
    ...fields,
  };
}

/** Everything in the sandbox's mailbox with this subject. */
export async function mails(subject) {
  const response = await fetch(`${url}/sandbox/mailbox?limit=100`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
  });
  const { data } = await response.json();
  return data.filter((mail) => mail.subject === subject);
}

export async function eventually(find) {
  for (let tries = 0; tries < 300; tries++) {
    const found = await find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it did not happen');
}
