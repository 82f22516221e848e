import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { issueCertificate } from '@acuse/testkit/certificate';
import { PATIENCE } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSubmission } from '../../../src/messages/submission/listeners.ts';
import { readCertificate, watchedCertificate } from '../../../src/platform/certificate-files.ts';
import { createLog } from '../../../src/platform/logger.ts';
import { openRawSmtp } from '../../support/raw-smtp.ts';
import { newKey } from '../../support/service.ts';
import { idIn, mail, openSubmissionWorld, type SubmissionWorld, sendRaw } from './harness.ts';

/** Programs that others wrote, with a certificate that they check. */
const ca = issueCertificate({ subject: 'Test CA', ca: true });
const certificate = issueCertificate({ subject: 'localhost', names: ['localhost', '127.0.0.1'], issuer: ca });
const folder = tempFolder();
const caFile = join(folder, 'ca.pem');
writeFileSync(caFile, ca.certPem);

let world: SubmissionWorld;
beforeAll(async () => {
  world = await openSubmissionWorld({ submission: { certificate } });
});
afterAll(() => world.stop());

const messageOf = async (id: string) => (await world.service.call('GET', `/v1/messages/${id}`)).body;

describe('nodemailer', () => {
  const transport = (more: object) =>
    createTransport({
      host: 'localhost',
      port: world.port,
      requireTLS: true,
      tls: { ca: ca.certPem, minVersion: 'TLSv1.2' },
      auth: { user: 'app', pass: world.key },
      ...more,
    });

  test.each([
    ['STARTTLS', () => ({ port: world.port, requireTLS: true })],
    ['implicit TLS', () => ({ port: world.tlsPort, secure: true })],
  ])('sends a message with an attachment over %s, once however often', async (_name, more) => {
    const mailer = transport(more());
    const messageId = `<${newKey()}@app.test>`;
    const send = () =>
      mailer.sendMail({
        from: 'Facturación <billing@sandbox.test>',
        to: 'delivered@sandbox.test',
        subject: 'Factura nº 1',
        text: 'Hola.\n.\nAdiós.',
        html: '<p>Hola.</p>',
        attachments: [{ filename: 'año.txt', content: '12345' }],
        messageId,
      });
    const first = await send();
    const again = await send();
    mailer.close();
    expect(first.rejected).toEqual([]);
    expect(again.response).toContain(idIn(first.response));
    const id = idIn(first.response);
    expect(await messageOf(id)).toMatchObject({
      from: 'Facturación <billing@sandbox.test>',
      subject: 'Factura nº 1',
      idempotency_key: messageId,
    });
    const raw = (await world.service.call('GET', `/v1/messages/${id}/raw`)).raw.toString();
    expect(raw).toContain('multipart/alternative');
    expect(raw).toContain('MTIzNDU=');
    expect(raw).toContain('a%C3%B1o.txt');
  });

  test('sends many over a pool, each a message of its own', async () => {
    const before = await world.count();
    const mailer = transport({ pool: true, maxConnections: 4 });
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        mailer.sendMail({
          from: 'billing@sandbox.test',
          to: 'delivered@sandbox.test',
          subject: `No. ${n}`,
          text: 'Hi',
        }),
      ),
    );
    mailer.close();
    expect(new Set(sent.map(({ response }) => idIn(response))).size).toBe(40);
    expect(await world.count()).toBe(before + 40);
  });

  test('learns why it is refused', async () => {
    const mailer = transport({});
    const refused = await mailer
      .sendMail({ from: 'a@elsewhere.test', to: 'delivered@sandbox.test', subject: 'x', text: 'x' })
      .catch((error) => error);
    expect(refused).toMatchObject({ responseCode: 550 });
    expect(refused.response).toMatch(/^550 5\.7\.1 elsewhere\.test is not a domain of this account/);
    mailer.close();
    const wrong = transport({ auth: { user: 'app', pass: 'hunter2' } });
    expect(await wrong.verify().catch((error) => error)).toMatchObject({ code: 'EAUTH', responseCode: 535 });
    wrong.close();
  });

  test('does not hand its password to a stranger: the certificate is what it checks', async () => {
    const mailer = transport({ tls: {} });
    expect(await mailer.verify().catch((error) => error)).toMatchObject({
      code: expect.stringMatching(/TLS|SOCKET/),
    });
    mailer.close();
  });
});

const hasSwaks = spawnSync('swaks', ['--version']).status === 0;

// Needs swaks (Debian: swaks).
describe.skipIf(!hasSwaks)('swaks', () => {
  const swaks = async (...args: string[]) => {
    const all = [
      '--server',
      'localhost',
      '--tls-verify',
      '--tls-ca-path',
      caFile,
      '--auth-user',
      'app',
      ...args,
    ];
    try {
      const { stdout } = await promisify(execFile)('swaks', all);
      return { code: 0, stdout };
    } catch (error) {
      const { code, stdout } = error as unknown as { code: number; stdout: string };
      return { code, stdout };
    }
  };
  const addresses = ['--from', 'billing@sandbox.test', '--to', 'delivered@sandbox.test'];

  test.each([
    ['STARTTLS', 'PLAIN', () => ['--port', String(world.port), '--tls']],
    ['STARTTLS', 'LOGIN', () => ['--port', String(world.port), '--tls']],
    ['implicit TLS', 'PLAIN', () => ['--port', String(world.tlsPort), '--tls-on-connect']],
    ['implicit TLS', 'LOGIN', () => ['--port', String(world.tlsPort), '--tls-on-connect']],
  ])('sends over %s with AUTH %s', async (_name, method, more) => {
    const { code, stdout } = await swaks(
      ...more(),
      '--auth',
      method,
      '--auth-password',
      world.key,
      ...addresses,
    );
    expect({ code, stdout }).toMatchObject({ code: 0 });
    const id = /queued as (\S+)/.exec(stdout)![1]!;
    expect(await messageOf(id)).toMatchObject({ status: 'queued', to: 'delivered@sandbox.test' });
  });

  test('sends pipelined', async () => {
    const before = await world.count();
    const { code } = await swaks(
      ...['--port', String(world.port), '--tls', '--pipeline'],
      ...['--auth', 'PLAIN', '--auth-password', world.key, ...addresses],
    );
    expect(code).toBe(0);
    expect(await world.count()).toBe(before + 1);
  });

  test('is refused without TLS, and with a wrong password', async () => {
    const before = await world.count();
    const clear = await swaks(
      '--port',
      String(world.port),
      '--auth',
      'PLAIN',
      '--auth-password',
      world.key,
      ...addresses,
    );
    expect(clear.code).not.toBe(0);
    expect(clear.stdout).not.toContain('AUTH PLAIN');
    const wrong = await swaks(
      '--port',
      String(world.port),
      '--tls',
      '--auth',
      'PLAIN',
      '--auth-password',
      'no',
      ...addresses,
    );
    expect(wrong.code).not.toBe(0);
    expect(wrong.stdout).toContain('535 5.7.8 Authentication credentials invalid');
    expect(await world.count()).toBe(before);
  });
});

describe('a certificate in files', () => {
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  const write = ({ certPem, keyPem }: { certPem: string; keyPem: string }) => {
    writeFileSync(keyFile, keyPem);
    writeFileSync(certFile, certPem);
  };

  test('is followed when it is renewed, and kept when what comes is none', async () => {
    write(certificate);
    const watched = watchedCertificate({ certFile, keyFile }, { log: createLog('silent'), everyMs: 20 });
    const { services, accept } = world.service;
    const submission = createSubmission({
      ...services,
      accept,
      hostname: 'localhost',
      host: '127.0.0.1',
      port: 0,
      tlsPort: 0,
      certificate: watched.current,
    });
    watched.onChange(submission.renew);
    const { port, tlsPort } = await submission.start();
    const served = async () => {
      const implicit = await openRawSmtp(tlsPort!, { tls: true });
      const starttls = await openRawSmtp(port!);
      await starttls.command('EHLO client.test');
      await starttls.startTls();
      const names = [implicit, starttls].map((smtp) => smtp.peerCertificate().subject.CN);
      implicit.end();
      starttls.end();
      return names;
    };
    try {
      expect(await served()).toEqual(['localhost', 'localhost']);
      const before = await openRawSmtp(tlsPort!, { tls: true });
      write(issueCertificate({ subject: 'renewed.test', names: ['renewed.test'], issuer: ca }));
      await vi.waitFor(
        async () => expect(await served()).toEqual(['renewed.test', 'renewed.test']),
        PATIENCE,
      );
      writeFileSync(certFile, 'nothing');
      await new Promise((resolve) => setTimeout(resolve, 80));
      expect(await served()).toEqual(['renewed.test', 'renewed.test']);
      // A session that was there stays.
      await before.command('EHLO client.test');
      await before.login(world.key);
      idIn(await sendRaw(before, mail()));
      before.end();
    } finally {
      watched.close();
      await submission.stop(1);
    }
  });

  test('that is none, or of another key, is said to be at the start', () => {
    write({ ...certificate, keyPem: issueCertificate({ subject: 'x' }).keyPem });
    expect(() => readCertificate({ certFile, keyFile })).toThrow(
      /are not a matching PEM certificate and key: .*mismatch/,
    );
    expect(() => readCertificate({ certFile: join(folder, 'absent.pem'), keyFile })).toThrow(
      /^ACUSE_TLS_CERT_FILE: cannot be read: ENOENT/,
    );
  });
});
