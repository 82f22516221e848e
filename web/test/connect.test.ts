import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT } from './pages.mjs';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import type { Watch } from './support/watch.ts';

describe.skipIf(!hasBrowser)('connecting an agent (skipped: needs chromium)', () => {
  let portal: Portal;
  let program: Server;
  let returnsTo: string;
  beforeAll(async () => {
    portal = await startPortal();
    // The program that listens on the person's machine.
    program = createServer((_request, response) => response.end('<h1>Back in the program</h1>'));
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    returnsTo = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
  });
  afterAll(async () => {
    program?.close();
    await portal?.stop();
  });

  /** A program of this name that registers, and what it opens. */
  async function asking(name: string, changes: object = {}) {
    const metadata = { client_name: name, redirect_uris: [returnsTo] };
    const { body } = await portal.api('POST', '/oauth/register', metadata);
    const verifier = randomBytes(32).toString('base64url');
    const asks = {
      ...{ ...AGENT.asks, redirect_uri: returnsTo, client_id: body.client_id },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      ...changes,
    };
    return { clientId: String(body.client_id), verifier, path: `/connect?${new URLSearchParams(asks)}` };
  }

  const back = (url: string) => new URL(url).searchParams;

  /** Once, to where the program listens. */
  function cameBack({ foreign }: Watch): void {
    expect(foreign.splice(0).map((url) => url.split('?')[0])).toEqual([returnsTo]);
  }

  test('a program is let in, listed with the keys, and ended there', async () => {
    const { clientId, verifier, path } = await asking('<b>Claude</b>');
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(path);
    // A stranger's text is text.
    await page.getByText('<b>Claude</b>').waitFor();
    await page.getByText('Any program on this computer can give itself this name.').waitFor();
    await page.getByRole('checkbox', { name: /^Read messages/ }).uncheck();
    await page.getByRole('checkbox', { name: /^Send messages/ }).uncheck();
    await page.getByText('Choose at least one.').waitFor();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('checkbox', { name: /^Read messages/ }).check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor();
    const answer = back(page.url());
    expect(answer.get('state')).toBe('of the program');
    const token = await fetch(`${portal.base}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code: answer.get('code')!, client_id: clientId },
        ...{ redirect_uri: returnsTo, code_verifier: verifier },
      }),
    });
    const { access_token: key, scope } = (await token.json()) as Record<string, string>;
    expect(scope).toBe('evidence:read');
    const asks = () => fetch(`${portal.base}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
    expect((await asks()).status).toBe(200);

    await visit('/keys');
    const row = page.getByRole('row').filter({ hasText: '<b>Claude</b>' });
    expect(await row.innerText()).toContain('an agent’s, through mcp.example.com');
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await asks()).status).toBe(401);
    await visit('/audit');
    await page.getByRole('row').filter({ hasText: 'Connected an agent' }).first().waitFor();
    cameBack(watch);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a person who does not want it goes back with nothing', async () => {
    const { path } = await asking('Claude');
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(path);
    await page.getByRole('button', { name: 'Do not connect' }).click();
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor();
    expect(back(page.url()).get('error')).toBe('access_denied');
    expect(back(page.url()).get('code')).toBeNull();
    cameBack(watch);
    await close();
  });

  test('what cannot be granted goes back by a button, what is nobody’s goes nowhere', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit((await asking('Claude', { code_challenge_method: 'plain' })).path);
    await page.getByText('PKCE is required').waitFor();
    expect(await page.getByRole('button', { name: 'Connect', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: /^Back to 127\.0\.0\.1/ }).click();
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor();
    expect(back(page.url()).get('error')).toBe('invalid_request');
    await visit((await asking('Claude', { redirect_uri: 'https://evil.example/' })).path);
    await page.getByText('an address that it did not register').waitFor();
    expect(await page.getByRole('button', { name: /Connect|Back/ }).count()).toBe(0);
    cameBack(watch);
    await close();
  });

  test('somebody who may not connect agents reads who may', async () => {
    const { path } = await asking('Claude');
    const { page, visit, close } = await portal.asDeveloper();
    await visit(path);
    await page.getByText('Owners of the account connect agents').waitFor();
    expect(await page.getByRole('button', { name: 'Connect', exact: true }).count()).toBe(0);
    await close();
  });

  test('who signs in first comes back to the same question', async () => {
    const { path } = await asking('Claude');
    const { page, visit, close } = await portal.asStranger();
    await visit(path);
    await page.waitForURL(/\/sign-in\?/);
    const next = new URL(page.url()).searchParams.get('next')!;
    expect(new URLSearchParams(next.split('?')[1])).toEqual(new URLSearchParams(path.split('?')[1]));
    await close();
  });
});
