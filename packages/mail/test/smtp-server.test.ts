/** Our client against a server that others wrote. */
import { createHash } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { issueCertificate } from '@acuse/testkit/certificate';
import { type RealSmtpServer, startSmtpServer } from '@acuse/testkit/smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { planTls } from '../src/routing/tls-plan.ts';
import { connect, type SmtpOptions } from '../src/smtp/client.ts';
import { requireWebPki } from '../src/smtp/tls.ts';

const ca = issueCertificate({ subject: 'Test CA', ca: true });
const certificate = issueCertificate({ subject: 'mx.test', names: ['mx.test'], issuer: ca });
const secureContext = createSecureContext({ ca: ca.certPem });
const data = [new TextEncoder().encode('Subject: x\r\n\r\n.dot\r\n..\r\nend\r\n')];

const open: RealSmtpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(...args: Parameters<typeof startSmtpServer>): Promise<RealSmtpServer> {
  const server = await startSmtpServer(...args);
  open.push(server);
  return server;
}

async function send(port: number, more: Partial<SmtpOptions>) {
  const connected = await connect({
    host: 'mx.test',
    address: '127.0.0.1',
    port,
    ehloName: 'out.test',
    tls: { mode: 'opportunistic' },
    clock: { now: () => performance.now() },
    ...more,
  });
  if (connected.kind !== 'ready') return connected;
  const result = await connected.session.send({ reversePath: 'a@out.test', forwardPath: 'b@mx.test', data });
  await connected.session.quit();
  return result;
}

describe('smtp-server', () => {
  it('takes a message over STARTTLS with a certificate that WebPKI accepts', async () => {
    const server = await start(certificate);
    const result = await send(server.port, {
      tls: { mode: 'required', verify: requireWebPki, secureContext },
    });
    expect(result.kind).toBe('accepted');
    expect(result.facts.tls).toMatchObject({ version: 'TLSv1.3', authorized: true, error: null });
    expect(server.received).toEqual([
      {
        mailFrom: 'a@out.test',
        rcptTo: ['b@mx.test'],
        raw: Buffer.from(data[0]!),
        secure: true,
        user: null,
      },
    ]);
  });

  it('is refused when its certificate is for another name', async () => {
    const other = issueCertificate({ subject: 'other.test', names: ['other.test'], issuer: ca });
    const server = await start(other);
    const strict = await send(server.port, {
      tls: { mode: 'required', verify: requireWebPki, secureContext },
    });
    expect(strict).toMatchObject({
      kind: 'connection-failed',
      stage: 'tls',
      error: { code: 'tls_untrusted', message: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      facts: { tls: { authorized: false } },
    });
    // Opportunistic TLS takes any certificate: it is better than none.
    const easy = await send(server.port, { tls: { mode: 'opportunistic', secureContext } });
    expect(easy).toMatchObject({ kind: 'accepted', facts: { tls: { authorized: false } } });
  });

  it('is trusted by its TLSA record alone, and refused by another', async () => {
    const server = await start(certificate);
    const record = (spki: Uint8Array) => ({
      usage: 3,
      selector: 1,
      matching: 1,
      data: new Uint8Array(createHash('sha256').update(spki).digest()),
    });
    const by = (spki: Uint8Array) => {
      const plan = planTls({
        host: 'mx.test',
        names: ['mx.test'],
        dane: { kind: 'authenticate', records: [record(spki)] },
        mtaSts: null,
        now: () => new Date(),
      });
      if (plan.kind !== 'use') throw new Error('no plan');
      return send(server.port, { tls: plan.tls });
    };
    expect(await by(certificate.spki)).toMatchObject({
      kind: 'accepted',
      facts: { tls: { authorized: false } },
    });
    expect(await by(ca.spki)).toMatchObject({
      kind: 'connection-failed',
      stage: 'tls',
      error: { code: 'tls_untrusted', message: expect.stringContaining('no TLSA record') },
    });
    expect(server.received).toHaveLength(1);
  });

  it('authenticates us as a smarthost does, and refuses a wrong password', async () => {
    const server = await start(certificate, { authMethods: ['LOGIN'] }, 'secreto');
    const good = await send(server.port, { auth: { user: 'ana', pass: 'secreto' } });
    expect(good.kind).toBe('accepted');
    expect(server.received[0]).toMatchObject({ user: 'ana', secure: true });
    const bad = await send(server.port, { auth: { user: 'ana', pass: 'falso' } });
    expect(bad).toMatchObject({ kind: 'refused', stage: 'auth', reply: { code: 535 } });
    expect(JSON.stringify(bad)).not.toContain(Buffer.from('falso').toString('base64'));
  });
});
