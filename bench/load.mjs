#!/usr/bin/env node
// A lean HTTP/1.1 load generator: every connection sends a prepared request, waits for the whole answer and
// sends the next, with a new idempotency key written into the bytes. It takes a few microseconds a request,
// so that on a small machine the server is measured and not the client. Usage: load.mjs '<json>'; prints its
// result as one line of JSON.
//   {url, path, headers, body, connections, seconds, keys, perSecond}
// `keys`: how many times KEY stands in headers and body, to be replaced by a fresh key each. `perSecond`: so
// many are begun in each second, by whichever connection is free, and a latency counts from when its request
// was to begin: one that waits for a slow answer is slow too. Without it each connection sends at once again.
import { connect } from 'node:net';

/** Stands in a request where a key of its own goes. */
const KEY = 'KKKKKKKKKKKKKKKKKKKKKKKK';
const HEADER_END = Buffer.from('\r\n\r\n');
const RETRY_AFTER = Buffer.from('retry-after: ');
const CONTENT_LENGTH = Buffer.from('content-length: ');

const options = JSON.parse(process.argv[2]);
const target = new URL(options.url);
const template = makeRequest(options);
const keyOffsets = findAll(template, Buffer.from(KEY));

const latencies = [];
/** By status; a batch that did not take each item, which is answered 200 too, by `failed`. */
const statuses = {};
/** Latencies of each status, and answers that say to retry without saying when. */
const byStatus = {};
let withoutRetryAfter = 0;
let stopAt = 0;
let serial = 0;
/** When the next paced request is to begin (ms). */
let nextMs = 0;
const prefix =
  process.pid.toString(16).padStart(8, '0') + Date.now().toString(16).padStart(12, '0').slice(-8);

function makeRequest({ path, headers, body }) {
  const lines = [`POST ${path} HTTP/1.1`, `Host: ${target.host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function findAll(bytes, text) {
  const found = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) found.push(at);
  return found;
}

function runConnection() {
  return new Promise((resolve, reject) => {
    const request = Buffer.from(template);
    const socket = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    let sentMs = 0;
    let pending = null;
    let needed = 0;

    /** At once, or when the pace says so; `false`: the time is over. */
    function sendNext() {
      const isPaced = options.perSecond !== undefined;
      const atMs = isPaced ? nextMs : performance.now();
      if (atMs >= stopAt) return false;
      if (isPaced) nextMs += 1_000 / options.perSecond;
      const waitMs = atMs - performance.now();
      if (waitMs <= 0) send(atMs);
      else setTimeout(send, waitMs, atMs);
      return true;
    }

    function send(atMs = performance.now()) {
      for (const at of keyOffsets) request.latin1Write(prefix + (serial++).toString(16).padStart(8, '0'), at);
      sentMs = atMs;
      socket.write(request);
    }

    socket.on('connect', sendNext).on('error', reject);
    socket.on('data', (chunk) => {
      pending = pending === null ? chunk : Buffer.concat([pending, chunk]);
      if (pending.length < needed) return;
      if (needed === 0) {
        const end = pending.indexOf(HEADER_END);
        if (end < 0) return;
        const at = pending.indexOf(CONTENT_LENGTH);
        if (at < 0 || at > end)
          return reject(new Error(`an answer without content-length: ${pending.subarray(0, end)}`));
        const length = Number.parseInt(
          pending.latin1Slice(at + CONTENT_LENGTH.length, at + CONTENT_LENGTH.length + 10),
          10,
        );
        needed = end + HEADER_END.length + length;
        if (pending.length < needed) return;
      }
      const isWhole = pending.indexOf('"failed":') < 0 || pending.indexOf('"failed":0,') >= 0;
      const status = isWhole ? pending.latin1Slice(9, 12) : 'failed';
      const nowMs = performance.now();
      statuses[status] = (statuses[status] ?? 0) + 1;
      latencies.push(nowMs - sentMs);
      byStatus[status] ??= [];
      byStatus[status].push(nowMs - sentMs);
      if (status === '503' && pending.indexOf(RETRY_AFTER) < 0) withoutRetryAfter++;
      pending = null;
      needed = 0;
      if (sendNext()) return;
      socket.end();
      resolve();
    });
  });
}

const startedMs = performance.now();
stopAt = startedMs + options.seconds * 1_000;
nextMs = startedMs;
await Promise.all(Array.from({ length: options.connections }, runConnection));
const seconds = (performance.now() - startedMs) / 1_000;
const { user, system } = process.cpuUsage();
function quantiles(values) {
  values.sort((a, b) => a - b);
  const at = (share) => values[Math.min(values.length - 1, Math.floor(values.length * share))];
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: values.at(-1) };
}
console.log(
  JSON.stringify({
    requests: latencies.length,
    seconds,
    statuses,
    latencyMs: quantiles(latencies),
    byStatusMs: Object.fromEntries(
      Object.entries(byStatus).map(([status, each]) => [status, quantiles(each)]),
    ),
    withoutRetryAfter,
    cpuSeconds: (user + system) / 1e6,
  }),
);
