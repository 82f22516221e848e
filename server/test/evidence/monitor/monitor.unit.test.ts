import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { cosign } from '@acuse/evidence/cosignature';
import { cosignMldsa44 } from '@acuse/evidence/cosignature-mldsa44';
import { loadMldsa44 } from '@acuse/evidence/mldsa44';
import { formatSignatureLine, type Signer } from '@acuse/evidence/note';
import { COSIGNATURE_V1, MLDSA44, verifierKey } from '@acuse/evidence/verifier-key';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { type LyingLog, startLyingLog } from '@acuse/testkit/lying-log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogClient } from '../../../src/evidence/monitor/log-client.ts';
import { lookOnce, type MonitorOptions } from '../../../src/evidence/monitor/monitor.ts';
import type { MonitorReport } from '../../../src/evidence/monitor/report.ts';
import type { Rereading } from '../../../src/evidence/monitor/reread.ts';
import { emptyState, type MonitorState } from '../../../src/evidence/monitor/state.ts';
import { sha256 } from '../../../src/platform/sha256.ts';

/** A log that lies in every way that it could, and what a monitor makes of that. */
let log: LyingLog;
let state: MonitorState;
let saved: number;
let now: Date;

beforeEach(async () => {
  log = await startLyingLog();
  state = emptyState();
  saved = 0;
  now = new Date();
});
afterEach(() => log.close());

const HOUR_MS = 3_600_000;
const defaults: MonitorOptions = {
  promises: [],
  seen: [],
  secondKeys: [],
  authorities: null,
  constanciaWithinMs: HOUR_MS,
  witnessKeys: [],
  witnessQuorum: 0,
  witnessWithinMs: HOUR_MS,
};

function look(
  options: Partial<MonitorOptions> = {},
  timeoutMs = 20_000,
  rereading?: Rereading,
): Promise<MonitorReport> {
  const signal = new AbortController().signal;
  const sleep = async () => {};
  return lookOnce(
    {
      client: createLogClient({ url: log.url, signal, sleep, timeoutMs }),
      key: log.key,
      now: () => now,
      sleep,
      save: () => void saved++,
      ...(rereading && { rereading }),
    },
    { ...defaults, ...options },
    state,
  );
}

const codes = ({ alerts }: MonitorReport) => [...new Set(alerts.map(({ code }) => code))].sort();
const later = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
const hours = (n: number) => new Date(now.getTime() + n * HOUR_MS);

describe('an honest log', () => {
  test('is followed from nothing to all of it, over every size of a step', async () => {
    expect(await look()).toMatchObject({ status: 'ok', checkpoint: { size: 0 }, entries_read: 0 });
    let size = 0;
    for (const step of [1, 2, 253, 1, 255, 700, 1]) {
      log.append(step);
      log.publish();
      size += step;
      const report = await look();
      expect(report).toMatchObject({
        status: 'ok',
        checkpoint: { size },
        entries_read: step,
        constancias: { open: 0, newest: { size, development: true }, trust: 'log' },
        alerts: [],
        incidents: [],
      });
    }
    // Nothing new: nothing is read again.
    expect((await look()).entries_read).toBe(0);
    expect(saved).toBeGreaterThan(8);
  });

  test('with a second key is held to it: each new checkpoint, while the key is trusted', async () => {
    const { keyOf } = await loadMldsa44();
    const second: Signer = { name: log.key.name, ...keyOf(randomBytes(32)) };
    const key = verifierKey(second.name, second.publicKey, sha256, MLDSA44);
    const seconds = Math.floor(now.getTime() / 1000);
    const line = (text: string) => formatSignatureLine(cosignMldsa44(text, seconds, second, sha256));
    log.append(3);
    log.publish();
    expect(await look({ secondKeys: [{ ...key, from: hours(1).toISOString() }] })).toMatchObject({
      status: 'ok',
      checkpoint: { size: 3 },
    });
    // Entries that were seen are not asked for again.
    expect((await look({ secondKeys: [key] })).status).toBe('ok');
    log.append(2);
    log.publish();
    const stripped = await look({ secondKeys: [key] });
    expect(stripped).toMatchObject({
      status: 'alert',
      checkpoint: { size: 3 },
      alerts: [{ code: 'checkpoint', detail: expect.stringContaining('the ML-DSA-44 signature') }],
    });
    log.cosignWith(line);
    expect(await look({ secondKeys: [key] })).toMatchObject({ status: 'ok', checkpoint: { size: 5 } });
    log.append(1);
    log.publish();
    log.cosignWith(() => line(`lying.test/log\n4\n${Buffer.alloc(32).toString('base64')}\n`));
    expect(codes(await look({ secondKeys: [key] }))).toEqual(['checkpoint']);
  });

  test('gets its constancias seen back to the first, those that come later too', async () => {
    for (let i = 0; i < 5; i++) {
      log.append(10);
      log.publish();
    }
    await look({ authorities: [log.lab.policy] });
    const seen = log.requests().filter((path) => path.startsWith('certificates/'));
    expect(seen).toEqual([
      'certificates/50',
      'certificates/40',
      'certificates/30',
      'certificates/20',
      'certificates/10',
    ]);
    log.append(10);
    log.publish({ sealed: false });
    log.append(10);
    log.publish();
    const waiting = await look();
    expect(waiting).toMatchObject({ status: 'ok', constancias: { open: 1, newest: { size: 70 } } });
    later(2 * HOUR_MS);
    expect(codes(await look())).toEqual(['constancia_missing']);
  });

  test('keeps its promises, whenever they are told of', async () => {
    log.append(1000);
    const [early, late] = [log.entry(3), randomBytes(32)];
    const promises = [log.promise(early, hours(24)), log.promise(late, hours(24))];
    log.publish();
    await look();
    expect((await look({ promises })).promises).toEqual({ kept: 1, open: 1, broken: 0 });
    log.append([late]);
    log.publish();
    later(25 * HOUR_MS);
    // Told of once, held to for good.
    expect(await look()).toMatchObject({ status: 'ok', promises: { kept: 2, open: 0, broken: 0 } });
  });

  test('may have got rid of partial tiles that are full now', async () => {
    log.append(300);
    log.publish();
    log.lie(/\.p\//, (path, reply) => {
      if (!path.startsWith('tile/0/000') && !path.startsWith('tile/entries/000')) return false;
      return void reply.writeHead(404).end();
    });
    expect((await look()).status).toBe('ok');
  });

  test('is not blamed for a cache, nor for a server that stumbles', async () => {
    log.append(10);
    const old = log.publish();
    log.append(10);
    log.publish();
    await look();
    let stale = 2;
    log.lie(/^checkpoint$/, (_path, reply) => (stale-- > 0 ? void reply.end(old) : false));
    expect((await look()).status).toBe('ok');
    let failures = 2;
    log.lie(/./, (_path, reply) => (failures-- > 0 ? void reply.writeHead(503).end() : false));
    expect((await look()).status).toBe('ok');
  });

  test('is gone on with where a look was broken off', async () => {
    log.append(20_000);
    log.publish();
    log.lie(/^tile\/entries\/070$/, (_path, reply) => void reply.destroy());
    expect((await look()).status).toBe('unavailable');
    state.reading = null;
    const readOnce = log.requests().length;
    log.lie(null);
    expect(await look()).toMatchObject({ status: 'ok', checkpoint: { size: 20_000 } });
    expect(log.requests().length).toBeGreaterThan(readOnce);
  });
});

describe('a log that lies', () => {
  beforeEach(async () => {
    log.append(700);
    log.publish();
    expect((await look()).status).toBe('ok');
  });

  test('two trees of one size: a fork, proven and kept', async () => {
    const first = log.note();
    log.rewind(699);
    log.append(1);
    log.publish();
    const report = await look();
    expect(report).toMatchObject({ status: 'alert', checkpoint: { size: 700 } });
    expect(codes(report)).toEqual(['fork']);
    expect(report.alerts[0]!.notes).toEqual([first, log.note()]);
    // Once proven, going back to the truth does not help.
    log.lie(/^checkpoint$/, (_path, reply) => void reply.end(first));
    const after = await look();
    expect([after.status, after.alerts, after.incidents.length]).toEqual(['alert', [], 1]);
  });

  test('a longer tree with another past: a fork, proven by its own entries', async () => {
    log.rewind(300);
    log.append(900);
    log.publish();
    const report = await look();
    expect([report.status, codes(report), report.checkpoint!.size]).toEqual(['alert', ['fork'], 700]);
    expect(report.incidents).toMatchObject([
      { code: 'fork', detail: expect.stringMatching(/not of one history/) },
    ]);
  });

  test('a longer tree with another past, its entries withheld: told, and nobody is accused of more', async () => {
    const kept = Array.from({ length: 700 }, (_, i) => log.entry(i));
    log.rewind(300);
    log.append(900);
    log.publish();
    const forged = log.note();
    log.rewind(0);
    log.append([...kept, ...Array.from({ length: 500 }, () => randomBytes(32))]);
    log.publish();
    log.lie(/^checkpoint$/, (_path, reply) => void reply.end(forged));
    const report = await look();
    expect([report.status, codes(report), report.incidents]).toEqual(['alert', ['inconsistent'], []]);
  });

  test('a smaller tree: rolled back', async () => {
    log.rewind(0);
    log.append(10);
    log.publish();
    const report = await look();
    expect([report.status, codes(report), report.checkpoint!.size]).toEqual(['alert', ['rollback'], 700]);
  });

  test('two faces: what others were shown is of another history, or more than we are shown', async () => {
    const ours = log.note();
    const rootHash = randomBytes(32);
    const theirs = signCheckpoint({ origin: log.key.name, size: 500, rootHash }, log.signer, sha256);
    const more = signCheckpoint({ origin: log.key.name, size: 900, rootHash }, log.signer, sha256);
    const report = await look({ seen: [theirs, more, ours] });
    expect(codes(report)).toEqual(['fork', 'rollback']);
    expect(report.incidents).toMatchObject([{ code: 'fork', notes: [theirs, ours] }]);
  });

  test.each<[string, RegExp, (reply: ServerResponse, honest: Uint8Array) => void, string[]]>([
    ['an entry changed', /^tile\/entries\/003/, (reply, honest) => reply.end(flip(honest, 5)), ['entries']],
    [
      'an entry bundle cut short',
      /^tile\/entries\/003/,
      (reply, honest) => reply.end(honest.subarray(1)),
      ['entries'],
    ],
    [
      'entries of another length',
      /^tile\/entries\/003/,
      (reply) => reply.end(Buffer.alloc(256 * 3, Uint8Array.of(0, 1, 7))),
      ['entries'],
    ],
    ['entries that are not there', /^tile\/entries/, (reply) => reply.writeHead(404).end(), ['entries']],
    ['a tile changed', /^tile\/0\/003/, (reply, honest) => reply.end(flip(honest, 77)), ['tile']],
    [
      'a tile of a higher level changed',
      /^tile\/1\//,
      (reply, honest) => reply.end(flip(honest, 1)),
      ['tile'],
    ],
    ['a tile too short', /^tile\/0\/003/, (reply, honest) => reply.end(honest.subarray(32)), ['tile']],
    ['a tile that is not there', /^tile\/0\//, (reply) => reply.writeHead(404).end(), ['tile']],
    [
      'a checkpoint that nobody signed',
      /^checkpoint$/,
      (reply, honest) =>
        reply.end(
          Buffer.from(honest)
            .toString()
            .replace(/\n(\d)(\d*)\n/, '\n9$2\n'),
        ),
      ['checkpoint'],
    ],
    ['no checkpoint', /^checkpoint$/, (reply) => reply.writeHead(404).end(), ['checkpoint']],
    [
      'a page in place of a checkpoint',
      /^checkpoint$/,
      (reply) => reply.end('<html>\n\n— x AAAAAAA=\n'),
      ['checkpoint'],
    ],
    [
      'a redirect',
      /^checkpoint$/,
      (reply) => reply.writeHead(302, { location: '/elsewhere' }).end(),
      ['checkpoint'],
    ],
    ['a constancia that is none', /^certificates/, (reply) => reply.end('<html>'), ['constancia']],
    [
      'a constancia of another checkpoint',
      /^certificates\/1000/,
      (reply) => reply.end(JSON.stringify({ ...JSON.parse(certificate(700)), previous_tree_size: 700 })),
      ['constancia'],
    ],
    [
      'a constancia with a token changed',
      /^certificates\/1000/,
      (reply, honest) => {
        const document = JSON.parse(Buffer.from(honest).toString());
        const token = Buffer.from(document.token, 'base64');
        token[token.length - 1]! ^= 1;
        reply.end(JSON.stringify({ ...document, token: token.toString('base64') }));
      },
      ['constancia'],
    ],
    [
      'a constancia that leads in circles',
      /^certificates\/1000/,
      (reply, honest) =>
        reply.end(
          Buffer.from(honest).toString().replace('"previous_tree_size":700', '"previous_tree_size":1000'),
        ),
      ['constancia'],
    ],
    [
      'a checkpoint that its constancias leave out',
      /^certificates\/1000/,
      (reply, honest) =>
        reply.end(
          Buffer.from(honest).toString().replace('"previous_tree_size":700', '"previous_tree_size":10'),
        ),
      ['checkpoint_missing'],
    ],
  ])('%s', async (_name, pattern, lie, expected) => {
    certificateOf700 = await (await fetch(`${log.url}/certificates/700`)).text();
    log.append(300);
    log.publish();
    log.lie(pattern, (_path, reply, honest) => {
      lie(reply, honest() ?? new Uint8Array());
    });
    const report = await look();
    expect([report.status, codes(report)]).toEqual(['alert', expected]);
    log.lie(null);
    const after = await look();
    expect(after.alerts).toEqual([]);
    expect(after.checkpoint!.size).toBe(1000);
  });

  test.each<[string, RegExp, (reply: ServerResponse) => void]>([
    ['stalls', /./, () => {}],
    [
      'stalls in the middle of an answer',
      /^tile\/entries/,
      (reply) => void reply.writeHead(200, { 'content-length': 8704 }).write('x'),
    ],
    ['never ends', /^checkpoint$/, babble],
    ['never ends an entry bundle', /^tile\/entries/, babble],
    ['hangs up', /^checkpoint$/, (reply) => reply.destroy()],
    ['is broken', /./, (reply) => reply.writeHead(500).end('x'.repeat(1000))],
    ['wants to be left alone', /./, (reply) => reply.writeHead(429).end()],
  ])('a log that %s is not there, and costs no more than that', async (_name, pattern, lie) => {
    log.append(300);
    log.publish();
    log.lie(pattern, (_path, reply) => lie(reply));
    const startedMs = performance.now();
    const report = await look({}, 300);
    expect([report.status, codes(report)]).toEqual(['unavailable', ['unavailable']]);
    expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS);
  });
});

let certificateOf700 = '';
const certificate = (_size: number) => certificateOf700;
const flip = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
function babble(reply: ServerResponse): void {
  const more = () => void (reply.destroyed || reply.write(Buffer.alloc(60_000), () => setImmediate(more)));
  reply.writeHead(200);
  more();
}

describe('promises', () => {
  test('one that was not kept is broken, proven and kept', async () => {
    log.append(700);
    log.publish();
    const promise = log.promise(randomBytes(32), hours(24));
    expect(await look({ promises: [promise] })).toMatchObject({ status: 'ok', promises: { open: 1 } });
    later(25 * HOUR_MS);
    const report = await look();
    expect(report).toMatchObject({ status: 'alert', promises: { kept: 0, open: 0, broken: 1 } });
    expect(report.incidents).toMatchObject([{ code: 'promise_broken', notes: [promise, log.note()] }]);
    // Not told twice, and not made undone by an entry that comes late.
    log.append(5);
    log.publish();
    expect((await look()).incidents).toHaveLength(1);
  });

  test('no verdict while entries are shown that the log did not sign', async () => {
    log.append(700);
    log.publish();
    const [hash] = [log.entry(400)];
    await look();
    // The entry is hidden from the search, and from the reading that is to prove it absent.
    log.lie(/^tile\/entries\/001/, (_path, reply, honest) => {
      const bytes = honest()!;
      reply.end(flip(bytes, bytes.length > 34 * 145 ? 34 * 144 + 2 : 2));
    });
    later(25 * HOUR_MS);
    const report = await look({ promises: [log.promise(hash!, new Date(now.getTime() - HOUR_MS))] });
    expect([report.status, codes(report), report.incidents]).toEqual(['alert', ['entries'], []]);
    log.lie(null);
    expect(await look()).toMatchObject({ status: 'ok', promises: { kept: 1 } });
  });

  test('an entry that is shown where the tree has another is not believed', async () => {
    log.append(700);
    log.publish();
    await look();
    const hash = randomBytes(32);
    log.lie(/^tile\/entries\/002/, (_path, reply, honest) => {
      const bytes = Buffer.from(honest()!);
      bytes.set(hash, 2);
      reply.end(bytes);
    });
    const report = await look({ promises: [log.promise(hash, hours(24))] });
    expect([report.status, codes(report), report.promises.kept]).toEqual(['alert', ['entries'], 0]);
  });

  test('of another log, or of nobody, are refused', async () => {
    const other = await startLyingLog('other.test/log');
    try {
      await expect(look({ promises: [other.promise(randomBytes(32), hours(1))] })).rejects.toThrow(/^note: /);
    } finally {
      await other.close();
    }
  });
});

describe('witnesses', () => {
  const seed = randomBytes(32);
  let witness: { name: string; publicKey: Uint8Array; sign: (message: Uint8Array) => Uint8Array };
  const keyOf = () => verifierKey(witness.name, witness.publicKey, sha256, COSIGNATURE_V1);
  beforeEach(async () => {
    const { formatWitnessKey, readWitnessKey } = await import('../../../src/evidence/witness/key.ts');
    witness = readWitnessKey(formatWitnessKey('witness.test/w', seed)).signer;
    log.append(10);
    log.publish();
  });
  const cosignNow = (text: string) =>
    formatSignatureLine(cosign(text, Math.floor(now.getTime() / 1000), witness, sha256));

  test('are told of, strangers counted', async () => {
    log.cosignWith(
      (text) =>
        cosignNow(text) + formatSignatureLine(cosign(text, 1, { ...witness, name: 'stranger' }, sha256)),
    );
    const report = await look({ witnessKeys: [keyOf()], witnessQuorum: 1 });
    expect(report).toMatchObject({
      status: 'ok',
      witnesses: [{ name: 'witness.test/w', size: 10 }],
      unknown_cosignatures: 1,
    });
  });

  test('may be late by a while, and no longer', async () => {
    const options = { witnessKeys: [keyOf()], witnessQuorum: 1 };
    expect((await look(options)).status).toBe('ok');
    log.cosignWith(cosignNow);
    expect((await look(options)).status).toBe('ok');
    log.cosignWith(() => '');
    log.append(1);
    log.publish();
    expect((await look(options)).status).toBe('ok');
    later(1.5 * HOUR_MS);
    expect((await look(options)).status).toBe('ok');
    later(1.5 * HOUR_MS);
    expect(codes(await look(options))).toEqual(['witness_quorum']);
  });

  test.each([
    ['of another checkpoint', () => cosignNow('lying.test/log\n9\nAAAA\n')],
    ['twice', (text: string) => cosignNow(text).repeat(2)],
    [
      'at a time beyond all calendars',
      (text: string) => formatSignatureLine(cosign(text, 9_000_000_000_000, witness, sha256)),
    ],
  ])('a cosignature %s is false', async (_name, line) => {
    log.cosignWith(line);
    const report = await look({ witnessKeys: [keyOf()] });
    expect([report.status, codes(report), report.witnesses]).toEqual(['alert', ['cosignature'], []]);
  });
});

test('what it is pinned to is believed, not whom the log names', async () => {
  log.append(10);
  log.publish();
  const other = await startLyingLog();
  try {
    const report = await look({ authorities: [other.lab.policy] });
    expect([report.status, codes(report), report.constancias.trust]).toEqual([
      'alert',
      ['constancia'],
      'pinned',
    ]);
  } finally {
    await other.close();
  }
});

describe('entries that were read before', () => {
  /** Serves this old entry as another one, and every tile over it to fit. */
  function rewrite(at: number): void {
    log.lie(/^tile\//, (path, reply, honest) => {
      const bytes = honest();
      const bundle = Math.floor(at / 256);
      if (bytes === null || !path.startsWith(`tile/entries/${String(bundle).padStart(3, '0')}`)) return false;
      const changed = Buffer.from(bytes);
      changed[(at % 256) * 34 + 2]! ^= 1;
      reply.end(changed);
      return true;
    });
  }

  test.each([
    ['of a small log, always', 10, 3, { full: false, random: () => 0 }],
    ['in a whole bundle of a log that has few', 700, 300, { full: false, random: () => 0 }],
    ['in the sample of a large log', 256 * 12 + 5, 256 * 2 + 1, { full: false, random: counting(12) }],
    ['wherever, with a full pass', 256 * 12 + 5, 7, { full: true, random: () => 0.5 }],
  ])('are held against what was kept: %s', async (_, size, at, rereading) => {
    log.append(size);
    log.publish();
    expect(codes(await look({}, 20_000, rereading))).toEqual([]);
    expect(codes(await look({}, 20_000, rereading))).toEqual([]);
    rewrite(at);
    expect(codes(await look())).toEqual([]);
    expect(codes(await look({}, 20_000, rereading))).toEqual(['entries']);
    log.lie(null);
    expect(codes(await look({}, 20_000, rereading))).toEqual([]);
  });

  /** Every index in its turn. */
  function counting(of: number): () => number {
    let n = 0;
    return () => (n++ % of) / of;
  }

  test('are asked for in a bounded number', async () => {
    log.append(256 * 40);
    log.publish();
    await look();
    const before = log.requests().length;
    await look({}, 20_000, { full: false, random: Math.random });
    expect(
      log
        .requests()
        .slice(before)
        .filter((path) => path.startsWith('tile/entries/')).length,
    ).toBe(8);
  });
});
