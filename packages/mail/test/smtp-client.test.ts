import { issueCertificate } from '@acuse/testkit/certificate';
import { PATIENCE } from '@acuse/testkit/eventually';
import {
  type PeerScript,
  type SmtpPeer,
  type SmtpPeerOptions,
  startSmtpPeer,
} from '@acuse/testkit/smtp-peer';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect, type SmtpOptions, type SmtpSession } from '../src/smtp/client.ts';
import type { OutgoingMessage } from '../src/smtp/commands.ts';
import { requireWebPki } from '../src/smtp/tls.ts';
import type { SendResult } from '../src/smtp/types.ts';
import { makeReturnPath, tokenOf } from '../src/verp.ts';

const clock = { now: () => performance.now() };
const certificate = issueCertificate({ subject: 'mx.test', names: ['mx.test'] });
const bytes = (text: string) => new TextEncoder().encode(text);
const message: OutgoingMessage = {
  reversePath: 'b+token@bounce.test',
  forwardPath: 'ana@dest.test',
  data: [bytes('DKIM-Signature: x\r\n'), bytes('Subject: hi\r\n\r\nbody\r\n')],
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((peer) => peer.close()));
});

async function peer(script: PeerScript = {}, more: Omit<SmtpPeerOptions, 'script'> = {}): Promise<SmtpPeer> {
  const started = await startSmtpPeer({ script, ...more });
  open.push(started);
  return started;
}

function options(port: number, more: Partial<SmtpOptions> = {}): SmtpOptions {
  return {
    host: 'mx.test',
    address: '127.0.0.1',
    port,
    ehloName: 'out.sender.test',
    tls: { mode: 'opportunistic' },
    clock,
    ...more,
  };
}

async function session(port: number, more: Partial<SmtpOptions> = {}): Promise<SmtpSession> {
  const result = await connect(options(port, more));
  if (result.kind !== 'ready') throw new Error(JSON.stringify(result));
  return result.session;
}

async function sendOnce(
  target: SmtpPeer,
  more: Partial<SmtpOptions> = {},
  what = message,
): Promise<SendResult> {
  const s = await session(target.port, more);
  const result = await s.send(what);
  await s.quit();
  return result;
}

const lines = (result: { transcript: readonly { who: string; line: string }[] }) =>
  result.transcript.map((l) => `${l.who}: ${l.line}`);

describe('a message', () => {
  it('goes out with its envelope pipelined and a full transcript', async () => {
    const target = await peer();
    const result = await sendOnce(target);
    expect(result.kind).toBe('accepted');
    if (result.kind !== 'accepted') return;
    expect(result.reply).toEqual({ code: 250, enhanced: '2.0.0', text: 'queued as TEST' });
    expect(lines(result)).toEqual([
      'S: 220 peer.test ESMTP',
      'C: EHLO out.sender.test',
      'S: 250-peer.test',
      'S: 250-PIPELINING',
      'S: 250-8BITMIME',
      'S: 250 SIZE 10485760',
      'C: MAIL FROM:<b+token@bounce.test> SIZE=40',
      'C: RCPT TO:<ana@dest.test>',
      'C: DATA',
      'S: 250 2.1.0 ok',
      'S: 250 2.1.5 ok',
      'S: 354 go ahead',
      'C: [message data: 40 octets]',
      'C: .',
      'S: 250 2.0.0 queued as TEST',
    ]);
    expect(target.messages()[0]?.raw.toString()).toBe('DKIM-Signature: x\r\nSubject: hi\r\n\r\nbody\r\n');
    expect(target.sessions[0]?.commands.at(-1)).toBe('QUIT');
    const times = result.transcript.map((l) => l.t_ms);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('goes step by step to a server without extensions, and by HELO to one that knows no EHLO', async () => {
    const target = await peer({ ehlo: '502 5.5.1 what\r\n' }, { extensions: [] });
    const result = await sendOnce(target);
    expect(result.kind).toBe('accepted');
    expect(target.sessions[0]?.commands).toEqual([
      'EHLO out.sender.test',
      'HELO out.sender.test',
      'MAIL FROM:<b+token@bounce.test>',
      'RCPT TO:<ana@dest.test>',
      'DATA',
      'QUIT',
    ]);
  });

  it('goes as one BDAT chunk where CHUNKING is offered, dots unstuffed', async () => {
    const target = await peer({}, { extensions: ['PIPELINING', 'CHUNKING', '8BITMIME'] });
    const dots = { ...message, data: [bytes('A: b\r\n\r\n.\r\n..\r\nend')] };
    const result = await sendOnce(target, {}, dots);
    expect(result.kind).toBe('accepted');
    expect(target.messages()[0]).toMatchObject({ via: 'BDAT' });
    expect(target.messages()[0]?.raw.toString()).toBe('A: b\r\n\r\n.\r\n..\r\nend\r\n');
    expect(lines(result)).toContain('C: BDAT 20 LAST');
    const without = await sendOnce(target, { disableChunking: true }, dots);
    expect(without.kind).toBe('accepted');
    expect(target.messages()[1]).toMatchObject({ via: 'DATA' });
  });

  it('carries SIZE, BODY, SMTPUTF8 and DSN parameters where they are offered', async () => {
    const target = await peer({}, { extensions: ['SIZE', '8BITMIME', 'SMTPUTF8', 'DSN', 'PIPELINING'] });
    const result = await sendOnce(
      target,
      {},
      {
        reversePath: '',
        forwardPath: 'josé@dest.test',
        data: [bytes('Subject: ñ\r\n\r\nx\r\n')],
        dsn: {
          ret: 'HDRS',
          envid: 'a=b+c',
          notify: ['FAILURE', 'DELAY'],
          originalRecipient: 'a+b@dest.test',
        },
      },
    );
    expect(result.kind).toBe('accepted');
    expect(target.sessions[0]?.commands.slice(1, 3)).toEqual([
      'MAIL FROM:<> SIZE=18 BODY=8BITMIME SMTPUTF8 RET=HDRS ENVID=a+3Db+2Bc',
      'RCPT TO:<josé@dest.test> NOTIFY=FAILURE,DELAY ORCPT=rfc822;a+2Bb@dest.test',
    ]);
  });

  it('is not sent to a server that is too small or cannot take its addresses', async () => {
    const target = await peer({}, { extensions: ['SIZE 20', 'PIPELINING'] });
    expect(await sendOnce(target)).toMatchObject({
      kind: 'unsupported',
      extension: 'SIZE',
      enhancedStatus: '5.3.4',
    });
    const utf8 = await sendOnce(target, {}, { ...message, forwardPath: 'ñ@dest.test', data: [bytes('a')] });
    expect(utf8).toMatchObject({ kind: 'unsupported', extension: 'SMTPUTF8', enhancedStatus: '5.6.7' });
    expect(target.sessions.flatMap((s) => s.commands).filter((c) => c.startsWith('MAIL'))).toEqual([]);
  });

  it('of several megabytes goes out in blocks and arrives whole', async () => {
    const target = await peer({}, { extensions: ['PIPELINING'] });
    const row = '.0123456789abcdefghijklmnopqrstuvwxyz\r\n';
    const big = bytes(row.repeat(100_000));
    const result = await sendOnce(target, {}, { ...message, data: [big] });
    expect(result.kind).toBe('accepted');
    expect(target.messages()[0]?.raw.length).toBe(big.length + 100_000);
  });

  it('with a path that is no address is a fault of the caller', async () => {
    const target = await peer();
    const s = await session(target.port);
    for (const forwardPath of [
      'a@b>\r\nDATA',
      'a@b> NOTIFY=NEVER',
      'a b@c',
      'a@b\n',
      '',
      'a',
      '<a@b>',
      'a@b c',
    ]) {
      await expect(s.send({ ...message, forwardPath })).rejects.toThrow(TypeError);
    }
    expect((await s.send({ ...message, forwardPath: '"a b"@dest.test' })).kind).toBe('accepted');
    await s.quit();
    await expect(connect(options(target.port, { ehloName: 'a\r\nMAIL' }))).rejects.toThrow(TypeError);
  });
});

describe('refusals', () => {
  const refusal = '550-5.1.1 no such user\r\n550 5.1.1 here\r\n';
  const table: [string, PeerScript, string][] = [
    ['mail', { mail: refusal, rcpt: '503 no\r\n', data: '503 no\r\n' }, 'mail'],
    ['rcpt', { rcpt: refusal, data: '554 no valid recipients\r\n' }, 'rcpt'],
    ['rcpt while DATA is granted', { rcpt: refusal, dot: '554 no recipients\r\n' }, 'rcpt'],
    ['data', { data: refusal }, 'data'],
    ['dot', { dot: refusal }, 'dot'],
  ];
  it.each(table)(
    'at %s are returned with stage and reply, and the session goes on',
    async (_, script, stage) => {
      for (const extensions of [['PIPELINING'], []]) {
        // Without pipelining the steps behind the refusal are never taken.
        const once = Object.fromEntries(
          Object.entries(script)
            .filter(([step]) => extensions.length > 0 || step === stage)
            .map(([step, action]) => [step, [action, { kind: 'default' }]]),
        ) as PeerScript;
        const target = await peer(once, { extensions });
        const s = await session(target.port);
        const first = await s.send(message);
        expect(first).toMatchObject({ kind: 'refused', stage, reply: { code: 550, enhanced: '5.1.1' } });
        expect(first.kind === 'refused' && first.reply.text).toBe('no such user\nhere');
        expect(s.reusable).toBe(true);
        const second = await s.send(message);
        expect(second.kind).toBe('accepted');
        expect(second.earlierMessages).toBe(1);
        await s.quit();
        expect(target.sessions).toHaveLength(1);
        // A transaction left open is cleared; one that the final dot ended is not.
        expect(target.sessions[0]?.commands.includes('RSET')).toBe(stage !== 'dot');
        const real = target.messages().filter((m) => m.raw.length > 0);
        expect(real).toHaveLength(stage === 'dot' ? 2 : 1);
      }
    },
  );

  it('at banner, EHLO, STARTTLS and AUTH end the opening', async () => {
    const cases: [PeerScript, Partial<SmtpOptions>, string, number][] = [
      [{ banner: '554 5.7.1 go away\r\n' }, {}, 'banner', 554],
      [{ banner: '421 4.3.2 later\r\n' }, {}, 'banner', 421],
      [{ ehlo: '550 5.7.1 bad name\r\n' }, {}, 'ehlo', 550],
      [{ starttls: '454 4.7.0 no\r\n' }, { tls: { mode: 'required' } }, 'starttls', 454],
      [
        { auth: '535 5.7.8 wrong\r\n', ehlo: '250-peer.test\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n' },
        { auth: { user: 'u', pass: 'p' } },
        'auth',
        535,
      ],
    ];
    for (const [script, more, stage, code] of cases) {
      const target = await peer(script, { certificate });
      const result = await connect(options(target.port, more));
      expect(result).toMatchObject({ kind: 'refused', stage, reply: { code } });
    }
  });

  it('421 at any step is a refusal, and the session ends', async () => {
    const target = await peer({ mail: { kind: 'sendAndDrop', bytes: '421 4.7.0 slow down\r\n' } });
    const s = await session(target.port);
    const result = await s.send(message);
    expect(result).toMatchObject({ kind: 'refused', stage: 'mail', reply: { code: 421, enhanced: '4.7.0' } });
    expect(s.reusable).toBe(false);
  });
});

describe('a session', () => {
  it('carries a hundred messages and no more; later transcripts hold only their own lines', async () => {
    const target = await peer();
    const s = await session(target.port);
    for (let i = 0; i < 100; i += 1) {
      expect(s.reusable).toBe(true);
      const result = await s.send(message);
      expect(result.kind).toBe('accepted');
      if (i > 0) expect(result.transcript[0]?.line).toMatch(/^MAIL FROM/);
    }
    expect(s.reusable).toBe(false);
    await s.quit();
    expect(target.messages()).toHaveLength(100);
  });

  it.each(['PIPELINING', 'CHUNKING'])(
    'shows the token of no return path, its own or an earlier one (%s)',
    async (more) => {
      const paths = ['0001', '0002'].map((end) =>
        makeReturnPath({
          messageId: `0197b1a0-0000-7000-8000-00000000${end}`,
          expiresAt: new Date(Date.now() + 86_400_000),
          secret: Buffer.alloc(32, 1),
          domain: 'bounce.sender.test',
        }),
      );
      const tokens = paths.map((path) => tokenOf(path)!);
      const echo = paths.join(' ');
      const target = await peer(
        {
          mail: `250 2.1.0 <${paths[0]!.toUpperCase()}>... ok\r\n`,
          dot: `550-5.7.1 mail from ${echo}\r\n550 5.7.1 ${Buffer.from(echo).toString('base64')}\r\n`,
        },
        { extensions: ['SIZE', 'DSN', more] },
      );
      const s = await session(target.port);
      for (const reversePath of paths) {
        const result = await s.send({ ...message, reversePath });
        const shown = JSON.stringify(result).toLowerCase();
        for (const token of tokens) expect(shown).not.toContain(token.slice(0, 15));
        expect(result).toMatchObject({ kind: 'refused', reply: { code: 550, enhanced: '5.7.1' } });
        expect(shown).toContain('mail from:<b+redacted@bounce.sender.test>');
      }
      const said = target.sessions[0]!.commands.filter((command) => command.startsWith('MAIL'));
      expect(said.map((command) => /<(.*)>/.exec(command)?.[1])).toEqual(paths);
      await s.quit();
    },
  );

  it('is no longer reusable after 300 s, after the peer closed, or with a message under way', async () => {
    let now = 0;
    const target = await peer();
    const s = await session(target.port, { clock: { now: () => now } });
    now = 299_999;
    expect(s.reusable).toBe(true);
    const sending = s.send(message);
    expect(s.reusable).toBe(false);
    await expect(s.send(message)).rejects.toThrow(TypeError);
    await sending;
    now = 300_000;
    expect(s.reusable).toBe(false);
    await s.quit();

    const other = await session(target.port);
    await target.close();
    await vi.waitFor(() => expect(other.reusable).toBe(false), PATIENCE);
    expect(await other.send(message)).toMatchObject({
      kind: 'connection-failed',
      mayHaveBeenAccepted: false,
    });
  });

  it('ends on abort, wherever it is', async () => {
    const target = await peer({ banner: { kind: 'stall' } });
    const controller = new AbortController();
    const connecting = connect(options(target.port, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 30);
    expect(await connecting).toMatchObject({ kind: 'connection-failed', error: { code: 'aborted' } });
    const stalled = await peer({ dot: { kind: 'stall' } });
    const s = await session(stalled.port);
    const sending = s.send(message);
    await vi.waitFor(() => expect(stalled.sessions[0]?.counts.get('dot')).toBe(1), PATIENCE);
    s.destroy();
    const result = await sending;
    expect(result).toMatchObject({
      kind: 'connection-failed',
      stage: 'dot',
      error: { code: 'aborted' },
      mayHaveBeenAccepted: true,
    });
  });
});

describe('TLS', () => {
  it('is taken where offered, with its facts, and EHLO is said again', async () => {
    const target = await peer({}, { certificate });
    const result = await sendOnce(target);
    expect(result.kind).toBe('accepted');
    const { createHash } = await import('node:crypto');
    expect(result.facts.tls).toMatchObject({
      version: 'TLSv1.3',
      peerCertificateSha256: createHash('sha256').update(certificate.der).digest('hex'),
      authorized: false,
      error: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(target.sessions[0]?.commands.slice(0, 3)).toEqual([
      'EHLO out.sender.test',
      'STARTTLS',
      'EHLO out.sender.test',
    ]);
  });

  it('from the first byte works for a smarthost, with AUTH cut from the transcript', async () => {
    for (const mechanism of ['PLAIN', 'LOGIN']) {
      const target = await peer({}, { certificate, implicitTls: true, extensions: [`AUTH ${mechanism}`] });
      const result = await sendOnce(target, {
        tls: { mode: 'implicit' },
        auth: { user: 'usuario', pass: 'secreto' },
      });
      expect(result.kind).toBe('accepted');
      const text = JSON.stringify(result);
      for (const secret of ['usuario', 'secreto', '\0usuario\0secreto']) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(Buffer.from(secret).toString('base64'));
      }
    }
  });

  it('that is required and missing, untrusted or broken is a failure, never a delivery', async () => {
    const plain = await peer();
    expect(await connect(options(plain.port, { tls: { mode: 'required' } }))).toMatchObject({
      kind: 'connection-failed',
      stage: 'starttls',
      error: { code: 'tls_not_offered' },
    });
    const selfSigned = await peer({}, { certificate });
    const untrusted = await connect(
      options(selfSigned.port, { tls: { mode: 'required', verify: requireWebPki } }),
    );
    expect(untrusted).toMatchObject({ stage: 'tls', error: { code: 'tls_untrusted' } });
    expect(untrusted.kind !== 'ready' && untrusted.facts.tls?.peerCertificateSha256).toMatch(
      /^[0-9a-f]{64}$/,
    );
    const broken = await peer({ starttls: '220 go\r\n' }, { extensions: ['STARTTLS'] });
    expect(await connect(options(broken.port, { timeouts: { tlsMs: 200 } }))).toMatchObject({
      kind: 'connection-failed',
      stage: 'tls',
    });
    expect([...plain.messages(), ...selfSigned.messages(), ...broken.messages()]).toEqual([]);
  });

  it('refused for the moment leaves an opportunistic session in the clear', async () => {
    const target = await peer({ starttls: '454 4.7.0 not now\r\n' }, { certificate });
    const result = await sendOnce(target);
    expect(result.kind).toBe('accepted');
    expect(result.facts.tls).toBeNull();
  });

  it('credentials never go in the clear', async () => {
    const target = await peer({}, { extensions: ['AUTH PLAIN'] });
    const result = await connect(options(target.port, { auth: { user: 'u', pass: 'p' } }));
    expect(result).toMatchObject({
      kind: 'connection-failed',
      stage: 'auth',
      error: { code: 'tls_not_offered' },
    });
    expect(target.sessions[0]?.commands.some((c) => c.startsWith('AUTH'))).toBe(false);
  });
});
