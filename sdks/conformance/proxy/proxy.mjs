import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import { readRequests } from './requests.mjs';

/** A slow answer: its last bytes, each after this pause (ms). */
const SLOW_BYTES = 15;
const SLOW_PAUSE_MS = 100;
/** How often a request is put to a busy server, and after which pause (ms). */
const BUSY_TRIES_MAX = 40;
const BUSY_PAUSE_MS = 250;

/**
 * A proxy between a library and the server that does to each request what a script says. `script(request)` is
 * asked at the head of each request, `{n, method, target, headers, connection, reused}`, numbered from 1, and
 * returns
 * - nothing: the request is forwarded and its answer handed back;
 * - `{answer: {status, headers?, body?}}`: this answer, without asking the server;
 * - `{change: (answer, body) => answer}`: the server's answer, changed;
 * - `{drop: 'before' | 'after'}`: the connection is closed before or after the server has done its work;
 * - `{reset: n}`: a TCP reset after n bytes of the body;
 * - `{cut: n}`, `{cutChunk: n}`: closed after n bytes of the answer's body, with its whole Content-Length or
 *   chunked;
 * - `{silence: true}`: the server does its work and nothing comes back; what comes later finds it done,
 *   however busy the machine is;
 * - `{slow: true}`: the answer's last bytes one by one;
 * - `{raw: (socket) => …}`: this writes what it likes, for as long as the connection is there;
 * - `{late: (request) => action}`: asked when the whole request is there, with its `body`;
 * - `{close: true}`: the connection is closed when it has been idle for a moment, unannounced.
 * `secure` is `{key, cert}` for TLS.
 */
export async function startProxy({ server, script = () => undefined, secure = null, port = 0 }) {
  const seen = { connections: 0, requests: [], open: new Set(), tunnels: [], silent: null };
  const accept = (socket) => serve(socket, { server, seen, script: (request) => proxy.script(request) });
  const listener = secure === null ? net.createServer(accept) : tls.createServer(secure, accept);
  listener.on('connection', (socket) => {
    seen.connections++;
    seen.open.add(socket);
    socket.on('error', () => {}).on('close', () => seen.open.delete(socket));
  });
  listener.on('tlsClientError', () => {});
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');
  const proxy = {
    seen,
    script,
    port: listener.address().port,
    url: `http${secure === null ? '' : 's'}://127.0.0.1:${listener.address().port}`,
    /** The requests to one path. */
    to: (path) => seen.requests.filter(({ target }) => target.split('?')[0].endsWith(path)),
    close() {
      for (const socket of seen.open) socket.destroy();
      listener.close();
    },
  };
  return proxy;
}

function serve(socket, { server, seen, script }) {
  const connection = seen.connections;
  let onThis = 0;
  const actions = [];
  socket.on('error', () => {});
  const reader = readRequests(
    socket,
    (head) => {
      const request = Object.assign(head, {
        n: seen.requests.length + 1,
        connection,
        reused: onThis++ > 0,
      });
      seen.requests.push(request);
      const action = script(request) ?? {};
      actions.push(action);
      return action.reset ?? null;
    },
    async (request, rest) => {
      const action = actions.shift();
      const kept = seen.requests[request.n - 1];
      kept.body = request.body;
      if (request.method === 'CONNECT') {
        reader.detach();
        return tunnel(socket, request, rest, seen);
      }
      await act(socket, request, action, { server, seen });
    },
  );
}

function tunnel(socket, request, rest, seen) {
  seen.tunnels.push(request.target);
  const [host, port] = request.target.split(':');
  const onward = net.connect(Number(port), host === 'localhost' ? '127.0.0.1' : host, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    onward.write(rest);
    onward.pipe(socket).pipe(onward);
  });
  onward.on('error', () => socket.destroy());
  socket.on('close', () => onward.destroy());
}

async function act(socket, request, action, { server, seen }) {
  if (action.reset !== undefined) return socket.resetAndDestroy();
  if (action.drop === 'before') return socket.destroy();
  if (action.raw !== undefined) return action.raw(socket);
  if (action.late !== undefined) return act(socket, request, action.late(request) ?? {}, { server, seen });
  let answer;
  try {
    await seen.silent;
    const answering =
      action.answer === undefined ? forward(server, request) : Promise.resolve(scripted(action.answer));
    if (action.silence) seen.silent = answering.catch(() => {});
    answer = await answering;
  } catch {
    return socket.destroy();
  }
  if (action.drop === 'after') return socket.destroy();
  if (action.silence) return;
  if (action.change !== undefined) answer = action.change(answer);
  const { body } = answer;
  if (action.cut !== undefined) {
    return socket.end(Buffer.concat([Buffer.from(headOf(answer)), body.subarray(0, action.cut)]));
  }
  if (action.cutChunk !== undefined) return socket.end(cutChunk(answer, action.cutChunk));
  if (action.slow) return slowly(socket, answer);
  socket.write(Buffer.concat([Buffer.from(headOf(answer)), body]));
  if (action.close) setTimeout(() => socket.destroy(), 50);
}

const scripted = ({ status, headers = {}, body = '' }) => ({ status, headers, body: Buffer.from(body) });

const UNKEPT = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

/** Status line and header of an answer; its length unless it says its own. */
function headOf({ status, headers = {}, body = '' }) {
  const all = { 'content-length': Buffer.byteLength(body), ...headers };
  if (status === 204) delete all['content-length'];
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? 'Answer'}\r\n${lines.join('')}\r\n`;
}

function cutChunk({ status, headers, body }, count) {
  const head = headOf({ status, headers: { ...headers, 'transfer-encoding': 'chunked' }, body });
  const chunked = head.replace(/content-length: \d+\r\n/, '');
  return Buffer.concat([Buffer.from(`${chunked}${count.toString(16)}\r\n`), body.subarray(0, count)]);
}

async function slowly(socket, answer) {
  const whole = Buffer.concat([Buffer.from(headOf(answer)), answer.body]);
  socket.setNoDelay(true);
  socket.write(whole.subarray(0, whole.length - SLOW_BYTES));
  for (const byte of whole.subarray(whole.length - SLOW_BYTES)) {
    await new Promise((resolve) => setTimeout(resolve, SLOW_PAUSE_MS));
    socket.write(Buffer.of(byte));
  }
}

/** Long before the server ends what is idle: a request that meets that end has no answer to hand back. */
const IDLE_MAX_MS = 5_000;
const agent = new http.Agent({ keepAlive: true, maxSockets: 200, timeout: IDLE_MAX_MS });

/** The server's answer; where a busy machine makes it refuse, which is no fault of a script, a later one. */
async function forward(server, request) {
  for (let tries = 1; ; tries++) {
    const answer = await forwardOnce(server, request);
    if (answer.status !== 503 || tries === BUSY_TRIES_MAX) return answer;
    await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
  }
}

async function forwardOnce(server, { method, target, headers, body }) {
  const { host, ...kept } = headers;
  const request = http.request(server + target, { method, headers: kept, agent });
  // A server that refuses a body answers before it has read all of it.
  request.on('error', () => {});
  request.end(body);
  const [response] = await once(request, 'response');
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const answered = Object.entries(response.headers).filter(([name]) => !UNKEPT.has(name));
  return { status: response.statusCode, headers: Object.fromEntries(answered), body: Buffer.concat(chunks) };
}
