import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readBundle } from '@acuse/evidence/bundle';
import { KINDS } from '@acuse/evidence/delivery-kinds';
import { parseDeliveryOpenings } from '@acuse/evidence/delivery-openings';
import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import { issueCertificate } from '@acuse/testkit/certificate';
import { eventually } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';
import { type RealSmtpServer, type ReceivedMail, startSmtpServer } from '@acuse/testkit/smtp-server';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyRecord, sendMail, signMail } from '../support/reply-mail.ts';
import { type Installation, startInstallation, startWorld, type World } from './installation.ts';

/**
 * Whatever may come of asking a recipient, from the send to what outsiders read in the bundle alone: with
 * mail that a server of others takes in, an outside signer, and verifiers in three languages and a browser.
 */

const DOMAIN = 'cliente.example.com.mx';
const OURS = 'acuse.tienda.test';
const ROOT = resolve(import.meta.dirname, '../../..');
/** Compiles anew what is not in Go's cache (ms). */
const COMPILED_WITHIN_MS = 600_000;
const folder = tempFolder();
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const shim = join(folder, 'shim');
const missing = whatIsMissing();

function whatIsMissing(): string | null {
  if (chromiumPath === null) return 'skipped: needs chromium';
  for (const program of ['python3', 'openssl'])
    if (spawnSync(program, ['version']).error !== undefined) return `skipped: needs ${program}`;
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off' };
  const options = { cwd: join(ROOT, 'sdks/go'), env, timeout: COMPILED_WITHIN_MS, encoding: 'utf8' } as const;
  const built = spawnSync('go', ['build', '-o', shim, './shim'], options);
  if (built.error !== undefined) return 'skipped: needs go';
  if (built.status !== 0) throw new Error(built.stderr);
  return null;
}

describe.skipIf(missing !== null)(`what comes of asking${missing === null ? '' : ` (${missing})`}`, () => {
  let world: World;
  let acuse: Installation;
  let mailbox: RealSmtpServer;
  let browser: Browser;

  beforeAll(async () => {
    world = await startWorld((name, type) => {
      if (name === `mx.${DOMAIN}`) return type === 'A' ? [{ type: 'A', value: '127.0.0.1' }] : [];
      return type === 'MX' ? [{ type: 'MX', preference: 10, exchange: `mx.${DOMAIN}` }] : [];
    });
    world.zone.set(`s1._domainkey.${DOMAIN}`, [{ type: 'TXT', value: keyRecord(key) }]);
    const names = [`mx.${DOMAIN}`];
    mailbox = await startSmtpServer(issueCertificate({ subject: names[0]!, names }));
    acuse = await startInstallation(world, {
      ...{ smtpPort: mailbox.port, returnPathPort: await freePort() },
      env: { ACUSE_SYSTEM_SENDER: `Acuse <aviso@${OURS}>` },
    });
    await acuse.verifiedDomain('tienda.test');
    await verifySystemSender();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await acuse?.stop();
    await mailbox?.close();
    await world?.close();
  });

  async function query<T>(text: string, values: readonly unknown[]): Promise<[T, ...T[]]> {
    const client = new pg.Client(acuse.databaseUrl);
    await client.connect();
    try {
      await client.query('set role acuse_worker');
      return (await client.query(text, [...values])).rows as [T, ...T[]];
    } finally {
      await client.end();
    }
  }

  /** Its account and domain are made with the first mail, which cannot go yet. */
  async function verifySystemSender(): Promise<void> {
    const cli = async (...args: string[]) => JSON.parse(await acuse.cli(...args, '--json'));
    expect((await post(`${(await ask()).link}/code`)).status).toBe(422);
    const [{ tenant, domain }] = await query<{ tenant: string; domain: string }>(
      'select tenant_id as tenant, domain_id as domain from domains where name = $1',
      [OURS],
    );
    const { records } = await cli('domains', 'show', domain, '--tenant', tenant);
    for (const { type, name, value } of records) {
      const at = name.toLowerCase();
      world.zone.set(at, [...(world.zone.get(at) ?? []), { type, value }]);
    }
    await cli('domains', 'verify', domain, '--tenant', tenant);
  }

  interface Asked {
    readonly id: string;
    readonly to: string;
    readonly link: string;
    readonly received: ReceivedMail;
  }

  const newestTo = (to: string, holds: string) =>
    eventually(async () =>
      mailbox.received.find(({ rcptTo, raw }) => rcptTo.includes(to) && raw.includes(holds)),
    );

  async function ask(): Promise<Asked> {
    const to = `luis-${randomUUID().slice(0, 8)}@${DOMAIN}`;
    const id = await acuse.send({
      ...{ from: 'facturas@tienda.test', to, certified: true, acknowledgement: 'request', locale: 'en' },
    });
    await acuse.until(id, 'sent');
    const received = (await newestTo(to, '/a/'))!;
    const text = received.raw.toString().replaceAll('=\r\n', '');
    return { id, to, received, link: /http:\/\/[^/\s"]+\/a\/[a-z2-7]{26}/.exec(text)![0] };
  }

  const post = (url: string, fields: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

  async function onThePage({ link, to }: Asked, fields: Record<string, string>): Promise<void> {
    expect((await post(`${link}/code?lang=en`)).status).toBe(303);
    const [, code] = /^Subject: Your code: (\d{8})/m.exec(
      (await newestTo(to, 'Subject: Your code'))!.raw.toString(),
    )!;
    expect((await post(`${link}?lang=en`, { code: code!, name: 'Luis Pérez', ...fields })).status).toBe(303);
  }

  async function byMail({ to, received }: Asked): Promise<void> {
    const text = received.raw.toString().replaceAll('=\r\n', '');
    const [forwardPath] = /ack\+[0-9a-f]{32}-[a-z2-7]{16}@[a-z.-]+/.exec(text)!;
    const mail = [
      ...[`From: <${to}>`, `To: <${forwardPath}>`, 'Subject: Acknowledgement of receipt'],
      ...[
        `Date: ${new Date().toUTCString()}`,
        `Message-ID: <${randomUUID()}@${DOMAIN}>`,
        '',
        'Received.',
        '',
      ],
    ].join('\r\n');
    const signed = await signMail(mail, { domain: DOMAIN, selector: 's1', key, at: new Date() });
    const sent = { reversePath: to, forwardPath, ehloName: `mx.${DOMAIN}` };
    expect((await sendMail(acuse.returnPathPort, signed, sent))[0]).toBe(250);
  }

  async function receipt({ to, received }: Asked): Promise<void> {
    const mail = [
      ...[`From: ${to}`, 'To: facturas@tienda.test', 'Subject: Read', 'MIME-Version: 1.0'],
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
      ...['', '--b', '', 'It was displayed.', '--b', 'Content-Type: message/disposition-notification', ''],
      ...[`Final-Recipient: rfc822; ${to}`, 'Disposition: manual-action/mdn-sent-manually; displayed'],
      ...['', '--b--', ''],
    ].join('\r\n');
    const sent = { reversePath: to, forwardPath: received.mailFrom, ehloName: `mx.${DOMAIN}` };
    expect((await sendMail(acuse.returnPathPort, mail, sent))[0]).toBe(250);
  }

  /** Before the time that the manifest says, as nobody but an operator can. */
  async function endEarly({ id }: Asked): Promise<void> {
    await query('update acknowledgements set until = now() where message_id = $1', [id]);
  }

  /** Once its outcomes are sealed. */
  async function bundleOf(id: string): Promise<{ bytes: Uint8Array; path: string }> {
    await eventually(async () => {
      const { status, body } = await acuse.call('GET', `/v1/messages/${id}/evidence`);
      const sealed =
        status === 200 ? body.delivery.filter((one: { sealed_at: unknown }) => one.sealed_at) : [];
      return sealed.length === 2;
    });
    const { bytes } = await acuse.call('GET', `/v1/messages/${id}/proof-bundle`);
    const path = join(folder, `${id}.zip`);
    writeFileSync(path, bytes);
    return { bytes, path };
  }

  test.each([
    [
      'acknowledged',
      'recipient_page',
      (asked: Asked) => onThePage(asked, { tick: 'yes', act: 'acknowledged' }),
    ],
    ['refused', 'recipient_page', (asked: Asked) => onThePage(asked, { act: 'refused', reason: 'Not mine' })],
    ['acknowledged', 'reported_by_mail', byMail],
    ['displayed', 'reported_by_mail', receipt],
  ] as const)('%s, %s: every verifier says so', async (kind, source, act) => {
    const asked = await ask();
    await act(asked);
    const { bytes, path } = await bundleOf(asked.id);
    const entries = readBundle(bytes);
    const named = `delivery/02-${kind}`;
    expect(JSON.parse(Buffer.from(entries.get(`${named}.json`)!).toString())).toMatchObject({ kind, source });

    // All is in order but that the authority is this installation's own.
    const told = await acuse.cli('verify', path, '--trust', 'bundle', '--json').catch(({ stdout }) => stdout);
    expect(JSON.parse(told)).toMatchObject({ verdict: 'unproven', reasons: [{ name: 'development' }] });
    const python = spawnSync('python3', ['-B', join(ROOT, 'contract/vectors/check.py'), path]);
    expect([python.stdout.toString(), python.status]).toEqual(['valid\n', 0]);
    const question = { id: 1, op: 'verify_bundle', args: { path, policy: 'TRUST_BUNDLE' } };
    const go = spawnSync(shim, { input: `${JSON.stringify(question)}\n` }).stdout.toString();
    const reasons = ['bundle_keys', 'development'];
    expect(JSON.parse(go).result, go).toMatchObject({ valid: true, verdict: 'unproven', reasons });

    const page = await browser.newPage();
    await page.goto(`${acuse.baseUrl}/verify`);
    await page.locator('[data-language=en]').click();
    await page.locator('#bundle').setInputFiles(path);
    await page.locator('#result').getByText(KINDS[kind].words.en.title).first().waitFor();
    await page.close();

    if (kind !== 'acknowledged' || source !== 'reported_by_mail') return;
    // The signature alone, by a verifier that knows nothing of us, under the key in the bundle.
    const opened = parseDeliveryOpenings(entries.get(`${named}.openings.json`)!);
    const kept = opened.facts.value.acknowledgement!;
    if (!('dkim' in kept)) throw new Error('no key');
    const { results } = await dkimVerify(Buffer.from(entries.get(`${named}.dsn.eml`)!), {
      resolver: async () => [[`v=DKIM1; k=rsa; p=${kept.dkim.public_key}`]],
    } as never);
    expect(results.map(({ status }) => status.result)).toEqual(['pass']);
  });

  // One that ends in its time is among the vectors: the least time is an hour.
  test('unanswered before its time: every verifier rejects it', async () => {
    const asked = await ask();
    await endEarly(asked);
    const { path } = await bundleOf(asked.id);
    const told = await acuse.cli('verify', path, '--trust', 'bundle', '--json').catch(({ stdout }) => stdout);
    expect(JSON.parse(told)).toMatchObject({ verdict: 'rejected', reasons: [{ name: 'delivery.02' }] });
    const python = spawnSync('python3', ['-B', join(ROOT, 'contract/vectors/check.py'), path]);
    expect([python.stderr.toString(), python.status]).toEqual([
      'delivery.02: unanswered before the time was over\n',
      1,
    ]);
    const question = { id: 1, op: 'verify_bundle', args: { path, policy: 'TRUST_BUNDLE' } };
    const go = spawnSync(shim, { input: `${JSON.stringify(question)}\n` }).stdout.toString();
    expect(JSON.parse(go).result, go).toMatchObject({ valid: false, verdict: 'rejected' });
  });
});
