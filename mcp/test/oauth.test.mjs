// Signing in with OAuth, as the official client does it, against a service and this server.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { startService } from '../../sdks/typescript/test/support/service.mjs';
import { readConfig } from '../dist/config.js';
import { serveHttp } from '../dist/http.js';
import { caller, ERAS, live, makeClient } from './support.mjs';

const MCP_URL = 'https://mcp.example.com/mcp';
const METADATA_URL = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const RETURN = 'http://localhost:33418/callback';
const OTHER_URL = 'https://other.example.com/mcp';

let service;
let server;
let other;
let cookie;
before(async () => {
  if (live.skip) return;
  service = await startService({ ACUSE_MCP_URL: MCP_URL });
  server = await serve(MCP_URL);
  other = await serve(OTHER_URL);
  const signedIn = await fetch(`${service.url}/v1/portal/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ link: new URL(service.signIn).hash.slice(1) }),
  });
  cookie = signedIn.headers.get('set-cookie').split(';', 1)[0];
});
after(async () => {
  await server?.close();
  await other?.close();
  await service?.stop();
});

function serve(url) {
  const variables = { ACUSE_URL: service.url, ACUSE_MCP_URL: url };
  return serveHttp(readConfig(variables), '127.0.0.1:0', () => {});
}

/** Stands for a proxy with a certificate. */
function through(input, init) {
  const url = new URL(input instanceof Request ? input.url : input);
  const behind = url.origin === new URL(MCP_URL).origin ? server : null;
  if (behind !== null) url.host = new URL(behind.url).host;
  if (behind !== null) url.protocol = 'http:';
  return fetch(url, init);
}

/** Approves as a person in the portal; gives what the browser takes back to the program. */
async function approve(authorizationUrl, scopes) {
  const { origin, pathname, search, searchParams } = new URL(authorizationUrl);
  assert.equal(origin + pathname, `${service.url}/portal/connect`);
  const headers = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const shown = await (await fetch(`${service.url}/v1/portal/grants/request${search}`, { headers })).json();
  assert.deepEqual([shown.program, shown.problem], ['Test program', null]);
  const approved = await fetch(`${service.url}/v1/portal/grants`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ scopes: scopes ?? shown.scopes, request: Object.fromEntries(searchParams) }),
  });
  assert.equal(approved.status, 201);
  return new URL((await approved.json()).redirect_to).searchParams;
}

/** A program that keeps what it is given in memory. */
function program() {
  const kept = { asked: [] };
  return {
    kept,
    get redirectUrl() {
      return RETURN;
    },
    get clientMetadata() {
      return { client_name: 'Test program', redirect_uris: [RETURN], application_type: 'native' };
    },
    state: () => 'a state of its own',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      kept.asked.push(url);
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (found) => {
      kept.discovery = found;
    },
    invalidateCredentials: (what) => {
      if (what === 'tokens' || what === 'all') kept.tokens = undefined;
      if (what === 'client' || what === 'all') kept.client = undefined;
    },
  };
}

function transportOf(authProvider) {
  return new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider, fetch: through });
}

/** Let in, and connected. */
async function connected(era, { scopes, authProvider = program() } = {}) {
  const first = transportOf(authProvider);
  await assert.rejects(makeClient(era).client.connect(first), UnauthorizedError);
  const answer = await approve(authProvider.kept.asked.at(-1), scopes);
  assert.equal(answer.get('state'), 'a state of its own');
  await first.finishAuth(answer);
  const { client } = makeClient(era, 'accept');
  await client.connect(transportOf(authProvider));
  return { client, call: caller(client), authProvider };
}

const ask = (authorization, url = server.url) =>
  fetch(url, {
    method: 'POST',
    headers: {
      ...(authorization && { authorization }),
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });

for (const era of ERAS)
  describe(`a program that signs in, ${era}`, live, () => {
    it('is let in, acts, renews its token, and is asked again once it is revoked', async () => {
      const { client, call, authProvider } = await connected(era);
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'send_message'));
      assert.equal((await call('get_account')).output.sandbox, true);
      const before = authProvider.kept.tokens;
      // As after an hour.
      authProvider.kept.tokens = { ...before, access_token: `${before.access_token}x` };
      assert.equal((await call('get_account')).output.sandbox, true);
      const renewed = authProvider.kept.tokens;
      assert.notEqual(renewed.access_token, before.access_token);
      assert.notEqual(renewed.refresh_token, before.refresh_token);
      assert.equal(authProvider.kept.asked.length, 1);
      const revoked = await fetch(`${service.url}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token: renewed.refresh_token }),
      });
      assert.equal(revoked.status, 200);
      await assert.rejects(client.callTool({ name: 'get_account', arguments: {} }), UnauthorizedError);
      assert.equal(authProvider.kept.asked.length, 2);
      await client.close();
      const again = await connected(era, { authProvider });
      assert.equal((await again.call('get_account')).output.sandbox, true);
      await again.client.close();
    });

    it('that may only read is shown no tool that writes', async () => {
      const { client } = await connected(era, { scopes: ['evidence:read'] });
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'list_messages'));
      assert.ok(!tools.some(({ name }) => name === 'send_message'));
      await client.close();
    });
  });

describe('the server of what is protected', live, () => {
  it('says who issues its tokens, under both paths, to pages of every origin', async () => {
    const { origin } = new URL(server.url);
    for (const path of ['', '/mcp']) {
      const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      const document = await answer.json();
      assert.deepEqual(document, {
        resource: MCP_URL,
        authorization_servers: [service.url],
        scopes_supported: ['evidence:read', 'messages:send'],
        bearer_methods_supported: ['header'],
        resource_name: 'Acuse',
        resource_documentation: `${service.url}/docs/agents`,
      });
    }
    assert.equal((await fetch(`${origin}/.well-known/oauth-protected-resource/other`)).status, 404);
  });

  it('challenges whoever brings no token, or a wrong one', async () => {
    for (const [authorization, error] of [
      [undefined, ''],
      ['Bearer acuse_nobody_nothing', ' error="invalid_token",'],
    ]) {
      const answer = await ask(authorization);
      assert.equal(answer.status, 401);
      assert.equal(
        answer.headers.get('www-authenticate'),
        `Bearer realm="acuse",${error} resource_metadata="${METADATA_URL}", scope="evidence:read messages:send"`,
      );
    }
  });

  it('takes no token of another server, and API keys as ever', async () => {
    const { client, authProvider } = await connected(ERAS[0]);
    const authorization = `Bearer ${authProvider.kept.tokens.access_token}`;
    assert.equal((await ask(authorization)).status !== 401, true);
    const refused = await ask(authorization, other.url);
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('www-authenticate'), /error="invalid_token"/);
    const plain = await serveHttp(readConfig({ ACUSE_URL: service.url }), '127.0.0.1:0', () => {});
    assert.equal((await ask(authorization, plain.url)).status, 401);
    for (const { url } of [server, other, plain])
      assert.notEqual((await ask(`Bearer ${service.key}`, url)).status, 401);
    await plain.close();
    await client.close();
  });

  it('says what to set where the service issues no tokens for it', async () => {
    const { origin } = new URL(other.url);
    const answer = await fetch(`${origin}/.well-known/oauth-protected-resource`);
    assert.equal(answer.status, 503);
    assert.match((await answer.json()).error.message, /set its ACUSE_MCP_URL/);
    assert.throws(() => readConfig({ ACUSE_URL: service.url, ACUSE_MCP_URL: 'http://mcp.example.com/' }), {
      message: /ACUSE_MCP_URL must be an https URL/,
    });
  });
});
