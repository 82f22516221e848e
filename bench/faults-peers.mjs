// The peers of the fault run, all in its own process, so that no fault reaches it: servers that take mail
// and remember each message, a receiver of webhooks, and a proxy in front of a database that can be cut or
// stalled.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';

const END_OF_DATA = Buffer.from('\r\n.\r\n');

/**
 * An SMTP server. By the recipient's domain: `fast.test` takes mail at once, `slow.test` after some seconds,
 * `later.test` at the second time of asking, `gone.test` never. `taken`: recipient → one entry a copy, {by,
 * dotMs, answeredMs, heard}.
 */
export async function startMailServer({ random }) {
  const taken = new Map();
  const refusedOnce = new Set();
  const state = { slowMs: 0, lastMs: performance.now() };

  function take(session, onTaken) {
    const [domain] = session.to.split('@').slice(-1);
    if (domain === 'gone.test') return onTaken('550 5.1.1 no such user');
    if (domain === 'later.test' && !refusedOnce.has(session.to)) {
      refusedOnce.add(session.to);
      return onTaken('451 4.3.0 try again later');
    }
    const copy = { by: session.by, dotMs: performance.now(), answeredMs: null, heard: false };
    const copies = taken.get(session.to) ?? [];
    copies.push(copy);
    taken.set(session.to, copies);
    state.lastMs = performance.now();
    const waitMs = (domain === 'slow.test' ? 1_000 + 5_000 * random() : 0) + state.slowMs * random();
    setTimeout(() => {
      copy.answeredMs = performance.now();
      copy.heard = !session.closed;
      onTaken('250 2.0.0 taken');
    }, waitMs);
  }

  const server = createServer((socket) => {
    const session = { by: '?', to: '', closed: false };
    let pending = Buffer.alloc(0);
    let inData = false;
    const say = (line) => socket.writable && socket.write(`${line}\r\n`);
    socket
      .on('error', () => {})
      .on('close', () => {
        session.closed = true;
      });
    say('220 sink.test');
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const end = pending.indexOf(inData ? END_OF_DATA : '\r\n');
        if (end === -1) return;
        const line = inData ? '' : pending.subarray(0, end).toString('latin1');
        pending = pending.subarray(end + (inData ? END_OF_DATA.length : 2));
        if (inData) {
          inData = false;
          take(session, say);
        } else inData = command(session, line, say, socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, taken, state, stop: () => closed(server) };
}

/** True when message data follows. */
function command(session, line, say, socket) {
  const [verb] = line.toUpperCase().split(' ');
  if (verb === 'EHLO') {
    session.by = line.slice(5);
    say('250-sink.test\r\n250-PIPELINING\r\n250 8BITMIME');
  } else if (verb === 'RCPT') {
    session.to = /<([^>]*)>/.exec(line)[1];
    say('250 2.1.5 ok');
  } else if (verb === 'DATA') {
    say('354 go on');
    return true;
  } else if (verb === 'QUIT') {
    say('221 2.0.0 bye');
    socket.end();
  } else say('250 2.0.0 ok');
  return false;
}

/** Takes each webhook; one in fifty is refused at first. `received`: event id → times. */
export async function startReceiver({ random }) {
  const received = new Map();
  const state = { lastMs: performance.now() };
  const server = createHttpServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (random() < 0.02) return response.writeHead(500).end();
      const id = JSON.parse(body).data.event_id;
      received.set(id, (received.get(id) ?? 0) + 1);
      state.lastMs = performance.now();
      response.writeHead(200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, received, state, stop: () => closed(server) };
}

/**
 * Between one process and its database. `cut`: connections break, and no new one is had; `stall`: nothing
 * passes.
 */
export async function startProxy(target) {
  const pairs = new Set();
  let mode = 'open';
  const server = createServer((client) => {
    if (mode === 'cut') return client.destroy();
    const upstream = connect(target, '127.0.0.1');
    const pair = [client, upstream];
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client]]) {
      from.setNoDelay(true);
      from.on('data', (chunk) => to.writable && to.write(chunk));
      from
        .on('error', () => {})
        .on('close', () => {
          to.destroy();
          pairs.delete(pair);
        });
      if (mode === 'stall') from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    set(next) {
      mode = next;
      for (const socket of [...pairs].flat()) {
        if (mode === 'cut') socket.destroy();
        else if (mode === 'stall') socket.pause();
        else socket.resume();
      }
    },
    stop() {
      for (const socket of [...pairs].flat()) socket.destroy();
      return closed(server);
    },
  };
}

function closed(server) {
  server.closeAllConnections?.();
  server.close();
}
