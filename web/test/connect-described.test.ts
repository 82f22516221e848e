import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { AGENT } from './pages.mjs';
import { hasBrowser, type Portal, startOwnPortal, type Visitor } from './support/portal.ts';

const NOT_DESCRIBED = 'does not describe a program that can connect here';
const NO_DOCUMENT = 'gives no document about the program';

/** A program whose client_id is the address of a document about it: docs/decisions/0072. */
describe.skipIf(!hasBrowser)(
  'connecting an agent that a document describes (skipped: needs chromium)',
  () => {
    let portal: Portal;
    let host: HttpsReceiver;
    let program: HttpsReceiver;
    let owner: Visitor;
    let clientId: string;
    let returnsTo: string;
    beforeAll(async () => {
      host = await startHttpsReceiver();
      const folder = mkdtempSync(join(inject('folderForTests'), 'described-'));
      writeFileSync(join(folder, 'ca.pem'), host.caPem);
      portal = await startOwnPortal({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') });
      clientId = host.url('/client.json', 'localhost');
      program = await startHttpsReceiver({ plain: true });
      program.answer(() => ({
        ...{ kind: 'status', status: 200, headers: { 'content-type': 'text/html' } },
        body: '<h1>Back in the program</h1>',
      }));
      returnsTo = program.url('/callback', '127.0.0.1');
      owner = await portal.asOwner();
    });
    afterAll(async () => {
      await owner?.close();
      await portal?.stop();
      await host?.close();
      await program?.close();
    });

    const json = (document: object, status = 200, more: Record<string, string> = {}): Answer => ({
      ...{ kind: 'status', status, body: JSON.stringify(document) },
      headers: { 'content-type': 'application/json', ...more },
    });
    const described = (changes: object = {}) => ({
      ...{ client_id: clientId, client_name: 'Described', redirect_uris: [returnsTo] },
      ...changes,
    });

    /** Opens the page for the program that this answer is about. */
    async function asked(answer: Answer, changes: object = {}) {
      host.answer(() => answer);
      const verifier = randomBytes(32).toString('base64url');
      const asks = {
        ...{ ...AGENT.asks, redirect_uri: returnsTo, client_id: clientId },
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        ...changes,
      };
      await owner.visit(`/connect?${new URLSearchParams(asks)}`);
      return verifier;
    }

    const waysOn = () => owner.page.getByRole('button', { name: /Connect|Back/ }).count();

    /** Read, and no way on: nobody is sent to an address that nobody vouches for. */
    async function refused(text: string): Promise<void> {
      await owner.page.getByText(`localhost:${host.port} ${text}`).waitFor();
      expect(await waysOn()).toBe(0);
    }

    const connect = () => owner.page.getByRole('button', { name: 'Connect', exact: true }).click();

    test('is let in: the person reads which host names it', async () => {
      const verifier = await asked(json(described()));
      const { page, watch } = owner;
      await page.getByText('Described', { exact: true }).waitFor();
      await page.getByText(`The name comes from a document at localhost:${host.port}`).waitFor();
      expect(await page.getByText('nobody checked it').count()).toBe(0);
      await connect();
      await page.getByRole('heading', { name: 'Back in the program' }).waitFor();
      const code = new URL(page.url()).searchParams.get('code')!;
      const token = await fetch(`${portal.base}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'authorization_code', code, client_id: clientId },
          ...{ redirect_uri: returnsTo, code_verifier: verifier },
        }),
      });
      const { access_token: key } = (await token.json()) as Record<string, string>;
      const account = await fetch(`${portal.base}/v1/account`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(account.status).toBe(200);
      expect(watch.foreign.splice(0).map((url) => url.split('?')[0])).toEqual([returnsTo]);
      expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    });

    test('its name is text, whatever is in it', async () => {
      const name = '<a href="https://evil.example">Claude</a> https://evil.example';
      await asked(json(described({ client_name: name })));
      await owner.page.getByText(name, { exact: true }).waitFor();
      expect(await owner.page.locator('main a').count()).toBe(0);
    });

    test.each([
      ['turns the line around', 'Claude \u202eexe.daolnwod'],
      ['hides', 'Cla\u200bude'],
      ['ends the line', 'Claude\u2028Checked by Acuse'],
    ])('a name that %s is refused', async (_what, name) => {
      await asked(json(described({ client_name: name })));
      await refused(NOT_DESCRIBED);
    });

    test('a copy of the document at another address is refused', async () => {
      await asked(json(described({ client_id: host.url('/other.json', 'localhost') })));
      await refused(NOT_DESCRIBED);
    });

    test('a way back that the document does not have is refused', async () => {
      await asked(json(described()), { redirect_uri: 'https://evil.example/callback' });
      await owner.page.getByText('an address that it did not register').waitFor();
      expect(await waysOn()).toBe(0);
    });

    test('a document that takes the way back away meanwhile is refused', async () => {
      await asked(json(described()));
      await owner.page.getByText('Described', { exact: true }).waitFor();
      host.answer(() => json(described({ redirect_uris: ['https://elsewhere.example/callback'] })));
      await connect();
      await owner.page.getByRole('alert').getByText('an address that').waitFor();
      expect(new URL(owner.page.url()).pathname).toBe('/portal/connect');
    });

    test('a document that is elsewhere is not followed', async () => {
      const before = host.requests.length;
      await asked(json({}, 302, { location: host.url('/moved.json', 'localhost') }));
      await refused(NO_DOCUMENT);
      expect(new Set(host.requests.slice(before).map(({ path }) => path))).toEqual(new Set(['/client.json']));
    });

    test.each<[string, () => Answer]>([
      ['too large', () => json(described({ more: 'x'.repeat(5 * 1024) }))],
      ['without end', () => ({ kind: 'flood', status: 200 })],
      ['that comes byte by byte', () => ({ kind: 'trickle', status: 200, everyMs: 100 })],
      ['that never comes', () => ({ kind: 'stall' })],
    ])('a document %s is refused', async (_what, answer) => {
      await asked(answer());
      await refused(NO_DOCUMENT);
    });
  },
);
