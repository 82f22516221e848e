/**
 * The fault table of the conversation: at each step the peer drops, resets, stalls, talks rubbish or never
 * stops talking.
 */
import { type AddressInfo, createServer } from 'node:net';
import { issueCertificate } from '@acuse/testkit/certificate';
import {
  type PeerAction,
  type PeerScript,
  type PeerStage,
  type SmtpPeer,
  type SmtpPeerOptions,
  startSmtpPeer,
} from '@acuse/testkit/smtp-peer';
import { afterEach, describe, expect, it } from 'vitest';
import { connect, type SmtpOptions } from '../src/smtp/client.ts';
import type { SmtpTimeouts } from '../src/smtp/limits.ts';
import type { NetworkError, SmtpStage, TranscriptLine } from '../src/smtp/types.ts';

const certificate = issueCertificate({ subject: 'mx.test', names: ['mx.test'] });
const SHORT_MS = 200;
/** Ample for a step that is not the one under test, also on a busy machine. */
const AMPLE_MS = 60_000;
const ample: SmtpTimeouts = {
  connectMs: AMPLE_MS,
  openingMs: AMPLE_MS,
  bannerMs: AMPLE_MS,
  ehloMs: AMPLE_MS,
  tlsMs: AMPLE_MS,
  authMs: AMPLE_MS,
  envelopeMs: AMPLE_MS,
  mailMs: AMPLE_MS,
  rcptMs: AMPLE_MS,
  dataMs: AMPLE_MS,
  blockMs: AMPLE_MS,
  mibMs: AMPLE_MS,
  dotMs: AMPLE_MS,
  rsetMs: AMPLE_MS,
  quitMs: SHORT_MS,
};
const body = new TextEncoder().encode('Subject: x\r\n\r\nhello\r\n');

const open: SmtpPeer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((peer) => peer.close()));
});

interface Outcome {
  readonly kind: string;
  readonly stage?: SmtpStage;
  readonly error?: NetworkError;
  readonly mayHaveBeenAccepted?: boolean;
  readonly transcript: readonly TranscriptLine[];
  readonly elapsedMs: number;
  readonly peer: SmtpPeer;
}

async function attempt(
  script: PeerScript,
  more: Omit<SmtpPeerOptions, 'script'> = {},
  options: Partial<SmtpOptions> = {},
): Promise<Outcome> {
  const peer = await startSmtpPeer({ script, ...more });
  open.push(peer);
  const started = performance.now();
  const connected = await connect({
    host: 'mx.test',
    address: '127.0.0.1',
    port: peer.port,
    ehloName: 'out.test',
    tls: { mode: 'opportunistic' },
    timeouts: ample,
    clock: { now: () => performance.now() },
    ...options,
  });
  const elapsed = () => performance.now() - started;
  if (connected.kind !== 'ready') return { ...connected, elapsedMs: elapsed(), peer };
  const result = await connected.session.send({
    reversePath: 'a@out.test',
    forwardPath: 'b@mx.test',
    data: [body],
  });
  connected.session.destroy();
  return { ...result, elapsedMs: elapsed(), peer };
}

const rubbish = 'HTTP/1.1 400 Bad Request\r\n\r\n';
const faults: [string, PeerAction, string[]][] = [
  ['drops', { kind: 'drop' }, ['connection_closed']],
  ['resets', { kind: 'reset' }, ['ECONNRESET', 'connection_closed', 'EPIPE']],
  ['stalls', { kind: 'stall' }, ['timeout']],
  ['talks rubbish', rubbish, ['bad_reply']],
  ['sends NUL and 8-bit', '250\0\xff\xfe\r\n', ['bad_reply']],
  ['sends an unknown code', '199 hm\r\n', ['bad_reply']],
  [
    'sends a line that never ends',
    { kind: 'flood', bytes: 'x'.repeat(1_000), times: 1_000 },
    ['reply_too_long'],
  ],
  [
    'never ends its multiline reply',
    { kind: 'flood', bytes: '250-more\r\n'.repeat(20), times: 1_000 },
    ['reply_too_long'],
  ],
  ['sends half a reply and drops', { kind: 'sendAndDrop', bytes: '250-half\r\n250' }, ['connection_closed']],
  ['drips slower than its time', { kind: 'flood', bytes: '2', times: 100, everyMs: 20 }, ['timeout']],
];

/** A short time only where it is to run out: it would be taken for the fault on a busy machine. */
const timeFor = (codes: readonly string[]) => (codes.includes('timeout') ? SHORT_MS : AMPLE_MS);

const stages: [PeerStage, SmtpStage, keyof SmtpTimeouts][] = [
  ['banner', 'banner', 'bannerMs'],
  ['ehlo', 'ehlo', 'ehloMs'],
  ['mail', 'mail', 'mailMs'],
  ['rcpt', 'rcpt', 'rcptMs'],
  ['data', 'data', 'dataMs'],
  ['dot', 'dot', 'dotMs'],
];

describe.each(stages)('at %s', (peerStage, stage, limit) => {
  it.each(faults)('a peer that %s', async (_, action, codes) => {
    for (const extensions of [['PIPELINING'], ['SIZE']]) {
      const timeouts = { ...ample, [limit]: timeFor(codes) };
      const outcome = await attempt({ [peerStage]: action }, { extensions }, { timeouts });
      expect(outcome.kind).toBe('connection-failed');
      // A reset can overtake the completion of the connection.
      expect(stage === 'banner' ? ['banner', 'connect'] : [stage]).toContain(outcome.stage);
      expect(codes).toContain(outcome.error?.code);
      expect(outcome.mayHaveBeenAccepted).toBe(stage === 'dot');
      expect(outcome.elapsedMs).toBeLessThan(AMPLE_MS);
      for (const line of outcome.transcript) expect(line.line).not.toMatch(/[\x00-\x08\x0a-\x1f]/);
    }
  });
});

describe('at STARTTLS', () => {
  it.each(faults)('a peer that %s', async (_, action, codes) => {
    const timeouts = { ...ample, ehloMs: timeFor(codes) };
    const outcome = await attempt({ starttls: action }, { certificate }, { timeouts });
    expect(outcome).toMatchObject({ kind: 'connection-failed', stage: 'starttls' });
    expect(codes).toContain(outcome.error?.code);
    expect(outcome.peer.messages()).toEqual([]);
  });

  it('clear text behind the answer is an injection, in one line, in part of one, or as no reply at all', async () => {
    for (const injected of [
      '250 ok\r\n',
      '250-peer\r\n250 AUTH PLAIN\r\n',
      '250 o',
      'x',
      '\r\n',
      'junk\r\n',
    ]) {
      const outcome = await attempt({ starttls: `220 go\r\n${injected}` }, { certificate });
      expect(outcome).toMatchObject({
        kind: 'connection-failed',
        stage: expect.stringMatching(/^(starttls|tls)$/),
        error: { code: 'starttls_injection' },
      });
      expect(outcome.peer.sessions[0]?.commands).toEqual(['EHLO out.test', 'STARTTLS']);
    }
  });

  it('a peer that stalls or hangs up in the handshake', async () => {
    const stalled = await attempt(
      { starttls: '220 go\r\n' },
      { extensions: ['STARTTLS'] },
      { timeouts: { ...ample, tlsMs: SHORT_MS } },
    );
    expect(stalled).toMatchObject({ kind: 'connection-failed', stage: 'tls' });
    const dropped = await attempt(
      { starttls: { kind: 'sendAndDrop', bytes: '220 go\r\n' } },
      { extensions: ['STARTTLS'] },
    );
    expect(dropped).toMatchObject({ kind: 'connection-failed', stage: 'tls' });
  });
});

describe('at connect', () => {
  it('a refused port and an address that does not answer', async () => {
    const peer = await startSmtpPeer();
    await peer.close();
    const options: SmtpOptions = {
      host: 'mx.test',
      address: '127.0.0.1',
      port: peer.port,
      ehloName: 'out.test',
      tls: { mode: 'off' },
      timeouts: ample,
      clock: { now: () => performance.now() },
    };
    expect(await connect(options)).toMatchObject({
      kind: 'connection-failed',
      stage: 'connect',
      error: { code: 'ECONNREFUSED' },
      transcript: [],
    });
    expect(await connect({ ...options, localAddress: '192.0.2.1' })).toMatchObject({
      kind: 'connection-failed',
      stage: 'connect',
      error: { code: 'EADDRNOTAVAIL' },
    });
  });
});

describe('a peer that is out of step', () => {
  it('and answers what it was not asked is not believed', async () => {
    const stuffed = await attempt({
      banner: '220 hi\r\n250 EHLO ok\r\n250 ok\r\n250 ok\r\n354 go\r\n250 sent\r\n',
    });
    expect(stuffed).toMatchObject({ kind: 'connection-failed', error: { code: 'unsolicited_reply' } });
    expect(stuffed.peer.messages()).toEqual([]);
  });

  it('and says 250 before the data has ended has not accepted it', async () => {
    const outcome = await attempt({ data: '354 go\r\n250 sent already\r\n' }, { extensions: ['PIPELINING'] });
    expect(outcome.kind).toBe('connection-failed');
    expect(['unsolicited_reply', 'bad_reply']).toContain(outcome.error?.code);
  });

  it('and answers 250 to DATA, or 354 to the dot, has said neither yes nor no', async () => {
    expect(await attempt({ data: '250 ok\r\n' })).toMatchObject({
      kind: 'connection-failed',
      stage: 'data',
      error: { code: 'bad_reply' },
    });
    expect(await attempt({ dot: '354 more\r\n' })).toMatchObject({
      kind: 'connection-failed',
      stage: 'dot',
      error: { code: 'bad_reply' },
      mayHaveBeenAccepted: true,
    });
  });

  it('and hangs up with a last word is heard', async () => {
    const outcome = await attempt(
      { rcpt: { kind: 'sendAndDrop', bytes: '550 5.7.1 blocked\r\n' } },
      { extensions: ['PIPELINING'] },
    );
    expect(outcome).toMatchObject({ kind: 'refused', stage: 'rcpt', reply: { code: 550 } });
  });
});

describe('at the message body', () => {
  const large = new Uint8Array(8_000_000).fill(0x61);
  const send = async (script: PeerScript) => {
    const peer = await startSmtpPeer({ script, extensions: ['PIPELINING'] });
    open.push(peer);
    const connected = await connect({
      host: 'mx.test',
      address: '127.0.0.1',
      port: peer.port,
      ehloName: 'out.test',
      tls: { mode: 'off' },
      timeouts: ample,
      clock: { now: () => performance.now() },
    });
    if (connected.kind !== 'ready') throw new Error('not ready');
    return connected.session.send({ reversePath: '', forwardPath: 'b@mx.test', data: [large] });
  };

  it('an early refusal is heard before all is sent', async () => {
    const result = await send({ body: { kind: 'sendAndDrop', bytes: '552 5.3.4 too big\r\n' } });
    expect(['refused', 'connection-failed']).toContain(result.kind);
    if (result.kind === 'refused') expect(result).toMatchObject({ stage: 'body', reply: { code: 552 } });
    if (result.kind === 'connection-failed') expect(result.mayHaveBeenAccepted).toBe(false);
  });

  it('a hang-up is a failure that cannot have been an acceptance', async () => {
    const result = await send({ body: { kind: 'reset' } });
    expect(result).toMatchObject({ kind: 'connection-failed', stage: 'body', mayHaveBeenAccepted: false });
  });
});

describe('a peer that uses up the time of each step', () => {
  const late = (then: string): PeerAction => ({ kind: 'wait', ms: SHORT_MS / 2, then });

  it.each<[keyof SmtpTimeouts, SmtpStage, PeerScript]>([
    ['openingMs', 'ehlo', { banner: late('220 hi\r\n'), ehlo: { kind: 'stall' } }],
    ['envelopeMs', 'rcpt', { mail: late('250 ok\r\n'), rcpt: { kind: 'stall' } }],
  ])('has %s for all of them', async (limit, stage, script) => {
    for (const extensions of [['PIPELINING'], ['SIZE']]) {
      const timeouts = { ...ample, [limit]: SHORT_MS };
      const outcome = await attempt(script, { extensions }, { timeouts });
      expect(outcome).toMatchObject({ kind: 'connection-failed', error: { code: 'timeout' } });
      // On a busy machine the step before may be late already.
      expect([stage, 'banner', 'mail']).toContain(outcome.stage);
    }
  });

  it('is given no more for the data than its size is worth', async () => {
    const reader = await startSlowReader();
    const connected = await connect({
      host: 'mx.test',
      address: '127.0.0.1',
      port: reader.port,
      ehloName: 'out.test',
      tls: { mode: 'off' },
      timeouts: { ...ample, blockMs: 1_000, mibMs: 1 },
      clock: { now: () => performance.now() },
    });
    if (connected.kind !== 'ready') throw new Error('not ready');
    const size = 64 * 1_048_576;
    const data = [new Uint8Array(size).fill(0x61)];
    const result = await connected.session.send({ reversePath: '', forwardPath: 'b@mx.test', data });
    expect(result).toMatchObject({
      kind: 'connection-failed',
      stage: 'body',
      error: { code: 'timeout' },
      mayHaveBeenAccepted: false,
    });
    expect(reader.taken()).toBeLessThan(size);
    await reader.close();
  });
});

/** A server that takes some 64 KiB of a message in each 10 ms: a block long before its time is out. */
async function startSlowReader(): Promise<{ port: number; taken(): number; close(): Promise<void> }> {
  let taken = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 hi\r\n');
    let inData = false;
    socket.on('data', (chunk) => {
      if (inData) {
        taken += chunk.length;
        socket.pause();
        setTimeout(() => socket.resume(), 10);
        return;
      }
      inData = chunk.includes('DATA');
      for (const line of chunk.toString('latin1').split('\r\n').slice(0, -1))
        socket.write(line === 'DATA' ? '354 go\r\n' : '250 ok\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    taken: () => taken,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('a reply that is too long is cut, and its verdict taken', () => {
  const octets = ({ transcript }: Outcome) => transcript.reduce((sum, { line }) => sum + line.length, 0);
  const said = 'No such user. '.repeat(700);

  it.each<[string, string, number, string | null]>([
    ['a line of 9 000 octets', `550 5.1.1 ${said.slice(0, 8_990)}\r\n`, 550, '5.1.1'],
    ['with LF alone', `550 5.1.1 ${said}\n`, 550, '5.1.1'],
    ['a long line, then the last', `550-5.1.1 ${said}\r\n550 5.1.1 see above\r\n`, 550, '5.1.1'],
    [
      'letters of three octets',
      Buffer.from(`452 4.2.2 ${'満'.repeat(3_000)}\r\n`).toString('latin1'),
      452,
      '4.2.2',
    ],
    ['1 500 lines', `${'550-5.1.1 no\r\n'.repeat(1_500)}550 5.1.1 no such user\r\n`, 550, '5.1.1'],
    [
      'many lines of an account of it, and the status in the last',
      `${`554-${'x'.repeat(900)}\r\n`.repeat(100)}554 5.7.1 spam\r\n`,
      554,
      '5.7.1',
    ],
  ])('%s', async (_name, rcpt, code, enhanced) => {
    const outcome = await attempt({ rcpt }, { extensions: ['PIPELINING'] });
    expect(outcome).toMatchObject({ kind: 'refused', stage: 'rcpt', reply: { code, enhanced } });
    expect(octets(outcome)).toBeLessThan(50_000);
    expect(JSON.stringify(outcome.transcript)).toMatch(/\[cut: \d+ octets in all\]|\[\d+ lines left out\]/);
    expect(JSON.stringify(outcome)).not.toContain('\ufffd');
  });

  it.each<[string, PeerAction]>([
    ['ends with the connection', { kind: 'sendAndDrop', bytes: `550 5.1.1 ${said}` }],
    ['never ends', { kind: 'flood', bytes: `550 5.1.1 ${said}`, times: 100 }],
  ])('a line that %s', async (_name, rcpt) => {
    const outcome = await attempt({ rcpt }, { extensions: [] });
    expect(outcome).toMatchObject({
      kind: 'refused',
      stage: 'rcpt',
      reply: { code: 550, enhanced: '5.1.1' },
    });
    expect(octets(outcome)).toBeLessThan(50_000);
  });

  it.each(['250 2.1.5 ', '550-5.1.1 '])('one that never ends and says %s has said nothing', async (start) => {
    const outcome = await attempt(
      { rcpt: { kind: 'sendAndDrop', bytes: `${start}${said}` } },
      { extensions: [] },
    );
    expect(outcome).toMatchObject({ kind: 'connection-failed', stage: 'rcpt' });
  });

  it('an EHLO of 300 lines, each read', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `250-X-OPTION-${at} with words\r\n`);
    lines[250] = '250-8BITMIME\r\n';
    const ehlo = `250-mx.test\r\n${lines.join('')}250 SIZE 10\r\n`;
    const outcome = await attempt({ ehlo });
    // By the limit of size in its last line.
    expect(outcome.kind).toBe('unsupported');
    expect(outcome.transcript.some(({ line }) => line === '250-8BITMIME')).toBe(true);
  });

  it('at the dot, where the verdict is of the message', async () => {
    const outcome = await attempt({ dot: `250 2.0.0 queued ${'y'.repeat(9_000)}\r\n` });
    expect(outcome).toMatchObject({ kind: 'accepted', reply: { code: 250 } });
  });
});
