import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { makeCrl } from '@acuse/tsa/revocation';
import { afterEach, expect, it } from 'vitest';
import { createRevocationGatherer } from '../../src/evidence/stamp/revocation-gather.ts';

/**
 * Where certificates point hangs, fails, drips or floods: a stamp waits for one bound, and the next one not
 * at all.
 */

const lab = new FaultLab(() => new Date(), randomBytes);
const servers: Server[] = [];
let aheadMs = 0;
const clock = { now: () => new Date(), monotonicMs: () => performance.now() + aheadMs };
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<{ url: string; requests(): number }> {
  let requests = 0;
  const server = createServer((request, reply) => {
    requests++;
    answer(request, reply);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}

const pointing = (ocspUrl: string, crlUrl?: string) =>
  lab.signerWith({ ocspUrl, ...(crlUrl !== undefined && { crlUrl }) }).der;
const never: RequestListener = () => {};

it('hosts that hang are asked side by side, once, and then left alone for longer and longer', async () => {
  const hosts = await Promise.all([serve(never), serve(never), serve(never)]);
  const chain = [...hosts.map(({ url }) => pointing(url)), lab.root.der];
  const gatherer = createRevocationGatherer(clock);
  const asked = () => hosts.map(({ requests }) => requests());
  const stop = new AbortController();
  const first = gatherer.gather(chain, new Date(), stop.signal);
  // All of them are waited for at the same time: none has answered.
  await expect.poll(asked).toEqual([1, 1, 1]);
  stop.abort(new Error('enough'));
  expect((await first).problems).toHaveLength(3);

  const second = await gatherer.gather(chain, new Date(), new AbortController().signal);
  expect(second.problems).toEqual(hosts.map(() => expect.stringContaining('it failed before (enough)')));
  expect(asked()).toEqual([1, 1, 1]);

  aheadMs += 31_000;
  const again = new AbortController();
  const third = gatherer.gather(chain, new Date(), again.signal);
  await expect.poll(asked).toEqual([2, 2, 2]);
  again.abort(new Error('enough'));
  await third;
  // Twice in a row: 31 s are not enough any more.
  aheadMs += 31_000;
  await gatherer.gather(chain, new Date(), new AbortController().signal);
  expect(asked()).toEqual([2, 2, 2]);
});

it('another address of a host that hangs is not asked either; one that answers badly is alone in that', async () => {
  const hanging = await serve(never);
  const gatherer = createRevocationGatherer(clock);
  const stop = new AbortController();
  const first = gatherer.gather([pointing(`${hanging.url}/a`), lab.root.der], new Date(), stop.signal);
  await expect.poll(hanging.requests).toBe(1);
  stop.abort(new Error('enough'));
  await first;
  const other = await gatherer.gather(
    [pointing(`${hanging.url}/b`), lab.root.der],
    new Date(),
    new AbortController().signal,
  );
  expect([hanging.requests(), other.problems]).toEqual([1, [expect.stringContaining('/b: not asked')]]);

  const bad = await serve((request, reply) => void reply.writeHead(request.url === '/a' ? 500 : 404).end());
  for (const path of ['/a', '/a', '/b'])
    await gatherer.gather(
      [pointing(`${bad.url}${path}`), lab.root.der],
      new Date(),
      new AbortController().signal,
    );
  expect(bad.requests()).toBe(2);
});

it('a list is asked for while the responder hangs, and is enough', async () => {
  const hanging = await serve(never);
  const list = await serve((_request, reply) => {
    const day = 86_400_000;
    reply.end(
      makeCrl({
        issuer: lab.root,
        thisUpdate: new Date(Date.now() - day),
        nextUpdate: new Date(Date.now() + day),
      }),
    );
  });
  const gatherer = createRevocationGatherer(clock);
  const chain = [pointing(hanging.url, `${list.url}/root.crl`), lab.root.der];
  const { pieces } = await gatherer.gather(chain, new Date(), new AbortController().signal);
  expect(pieces.map(({ kind }) => kind)).toEqual(['crl']);
  // It came before the responder was given up.
  expect(hanging.requests()).toBe(1);
});

it('what is too long or never ends is broken off', async () => {
  const flood = await serve((_request, reply) => {
    reply.writeHead(200);
    const more = () => {
      while (!reply.destroyed && reply.write(Buffer.alloc(65_536)));
    };
    reply.on('drain', more);
    more();
  });
  const gatherer = createRevocationGatherer(clock);
  const gathered = await gatherer.gather(
    [pointing(flood.url), lab.root.der],
    new Date(),
    new AbortController().signal,
  );
  expect(gathered).toMatchObject({ pieces: [], problems: [expect.stringMatching(/: over \d+ bytes/)] });
});
