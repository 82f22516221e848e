import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser, type Person, signedIn } from '../../support/people.ts';
import type { TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';
import {
  approve,
  BOTH,
  type Fields,
  MCP_URL,
  newAgent,
  post,
  RETURN,
  register,
  startGranting,
} from './harness.ts';

let service: TestService;
let ahead: { ms: number };
let owner: Person;
beforeAll(async () => {
  ({ service, ahead } = await startGranting());
});
afterAll(() => service?.stop());
beforeEach(async () => {
  // A session of its own: tests put the clock ahead.
  owner = await signedIn(service, service.account.tenantId, 'owner');
});

describe('what a program asks for', () => {
  const read = (asked: Fields, person = owner) => {
    const given = Object.entries(asked).filter((field): field is [string, string] => field[1] !== undefined);
    return person.call('GET', `/grants/request?${new URLSearchParams(given)}`);
  };

  test('is shown as it is', async () => {
    const { asked } = await newAgent(service);
    const { status, body } = await read(asked);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ program: 'Test agent', returns_to: 'agent.example', is_local: false, resource: MCP_URL },
      ...{ scopes: BOTH, problem: null },
    });
    const back = new URL(body.back_url);
    expect(back.origin + back.pathname).toBe(RETURN);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      ...{ error: 'access_denied', state: 'the state & more', iss: 'http://localhost:8025' },
    });
  });

  test.each<[string, Fields, string]>([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['PKCE without its method', { code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge of another length', { code_challenge: 'x'.repeat(42) }, 'invalid_request'],
    ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['no grant', { response_type: undefined }, 'unsupported_response_type'],
    ['another MCP server', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['a scope that only keys have', { scope: 'api_keys:write' }, 'invalid_scope'],
  ])('with %s is told to the program, and cannot be approved', async (_name, wrong, error) => {
    const agent = await newAgent(service, wrong);
    const { status, body } = await read(agent.asked);
    expect(status).toBe(200);
    expect(body.problem).not.toBeNull();
    expect(new URL(body.back_url).searchParams.get('error')).toBe(error);
    expect(new URL(body.back_url).searchParams.get('code')).toBeNull();
    expect((await approve(owner, agent)).status).toBe(400);
  });

  test.each<[string, Fields]>([
    ['another address', { redirect_uri: 'https://evil.example/callback' }],
    ['an address below the registered one', { redirect_uri: `${RETURN}/more` }],
    ['another port', { redirect_uri: 'https://agent.example:8443/callback' }],
    ['another spelling', { redirect_uri: 'https://AGENT.example/callback' }],
    ['a query behind it', { redirect_uri: `${RETURN}?x=1` }],
    ['no address', { redirect_uri: undefined }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['no client', { client_id: undefined }],
    ['a client of its own making', { client_id: 'bm9ib2R5' }],
  ])('with %s sends nobody anywhere', async (_name, wrong) => {
    const agent = await newAgent(service, wrong);
    const { status, body } = await read(agent.asked);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(JSON.stringify(body)).not.toContain('back_url');
    expect((await approve(owner, agent)).status).toBe(400);
  });

  test('on loopback may come back to any port', async () => {
    const uris = ['http://127.0.0.1/callback', 'http://localhost:3000/callback'];
    for (const [uri, status] of [
      ['http://127.0.0.1:49152/callback', 200],
      ['http://localhost:6274/callback', 200],
      ['http://[::1]:49152/callback', 400],
      ['http://127.0.0.1:49152/other', 400],
      ['https://127.0.0.1/callback', 400],
      ['http://127.0.0.1.evil.example/callback', 400],
      ['http://127.0.0.1@evil.example/callback', 400],
    ] as const) {
      const agent = await newAgent(service, { redirect_uri: uri }, { redirect_uris: uris });
      const answer = await read(agent.asked);
      expect([uri, answer.status]).toEqual([uri, status]);
      if (status === 200) expect(answer.body.is_local).toBe(true);
    }
  });

  test('is approved no further than asked, and not without anything', async () => {
    const agent = await newAgent(service, { scope: 'evidence:read files:read' });
    expect((await approve(owner, agent, BOTH)).status).toBe(400);
    expect((await approve(owner, agent, [])).status).toBe(400);
    expect((await approve(owner, agent, ['api_keys:write'])).status).toBe(400);
    expect((await approve(owner, agent, ['evidence:read'])).status).toBe(201);
  });

  test('is approved by owners alone, with a session, from a page of ours, and lately confirmed', async () => {
    const agent = await newAgent(service);
    for (const role of ['viewer', 'developer'] as const) {
      const person = await signedIn(service, service.account.tenantId, role);
      expect((await approve(person, agent)).status).toBe(403);
      expect((await read(agent.asked, person)).status).toBe(403);
    }
    const body = { scopes: BOTH, request: agent.asked };
    expect((await openBrowser(service).call('POST', '/grants', body)).status).toBe(401);
    // CSRF: the cookie goes with it, but the page is another's.
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    ]) {
      const forged = await owner.call('POST', '/grants', body, headers);
      expect([forged.status, forged.body.error.code]).toEqual([403, 'cross_origin_refused']);
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await owner.call('POST', '/grants', body, form)).status).toBe(415);
    // An API key is no person.
    expect((await service.call('POST', '/v1/grants', { body })).status).toBe(404);
    ahead.ms += 11 * 60_000;
    expect((await approve(owner, agent)).body.error.code).toBe('reauthentication_required');
  });

  test('is approved for an account of the person alone', async () => {
    const { tenantId: stranger } = await makeTenant(service);
    const agent = await newAgent(service);
    const body = { scopes: BOTH, request: agent.asked };
    const answer = await owner.call('POST', '/grants', body, { 'service-account': stranger });
    expect(answer.status).toBe(404);
  });
});

describe('a program that registers', () => {
  test('gets an id without a secret, its own each time', async () => {
    const [one, two] = [await register(service), await register(service)];
    expect(one.status).toBe(201);
    expect(one.body).toMatchObject({
      ...{ client_name: 'Test agent', redirect_uris: [RETURN], token_endpoint_auth_method: 'none' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    });
    expect(one.body.client_secret).toBeUndefined();
    expect(one.body.client_id).not.toBe(two.body.client_id);
  });

  test('is known by its host where it names itself nothing', async () => {
    const { body } = await register(service, { client_name: undefined });
    expect(body.client_name).toBe('agent.example');
  });

  test.each<[string, object, string]>([
    ['no address', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['no list', { redirect_uris: RETURN }, 'invalid_redirect_uri'],
    ['too many addresses', { redirect_uris: Array(11).fill(RETURN) }, 'invalid_redirect_uri'],
    ['http', { redirect_uris: ['http://agent.example/'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a scheme of its own', { redirect_uris: ['cursor://callback'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: [`${RETURN}#x`] }, 'invalid_redirect_uri'],
    ['an empty fragment', { redirect_uris: [`${RETURN}#`] }, 'invalid_redirect_uri'],
    ['a password', { redirect_uris: ['https://a:b@agent.example/'] }, 'invalid_redirect_uri'],
    ['a line break', { redirect_uris: ['https://agent.example/\n'] }, 'invalid_redirect_uri'],
    ['a backslash', { redirect_uris: ['https:\\\\agent.example\\'] }, 'invalid_redirect_uri'],
    [
      'a long address',
      { redirect_uris: [`https://agent.example/${'x'.repeat(500)}`] },
      'invalid_redirect_uri',
    ],
    ['a long name', { client_name: 'x'.repeat(101) }, 'invalid_client_metadata'],
    ['a name that turns around', { client_name: 'Claude\u202e' }, 'invalid_client_metadata'],
    ['a name of two lines', { client_name: 'Claude\nofficial' }, 'invalid_client_metadata'],
    ['a name that is none', { client_name: { x: 1 } }, 'invalid_client_metadata'],
    ['another grant', { grant_types: ['password'] }, 'invalid_client_metadata'],
    [
      'too much together',
      {
        redirect_uris: Array.from({ length: 3 }, (_, at) => `https://agent.example/${at}${'x'.repeat(400)}`),
      },
      'invalid_client_metadata',
    ],
  ])('with %s is refused', async (_name, metadata, error) => {
    expect(await register(service, metadata)).toMatchObject({ status: 400, body: { error } });
  });

  test('with what is no JSON, or too long, is refused', async () => {
    const answer = await service.call('POST', '/oauth/register', { key: null, body: '{' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    const long = await register(service, { software_statement: 'x'.repeat(20_000) });
    expect(long.status).toBe(413);
  });

  test('a thousand times leaves nothing behind', async () => {
    const rows = async () => {
      const [row] = await service.db.query<{ rows: number }>(
        'select (select count(*) from oauth_grants)::integer as rows',
      );
      return row!.rows;
    };
    const before = await rows();
    for (let i = 0; i < 1_000; i++) expect((await register(service)).status).toBe(201);
    expect(await rows()).toBe(before);
  });
});

describe('the endpoints', () => {
  test('are described', async () => {
    const { body, headers } = await service.call('GET', '/.well-known/oauth-authorization-server', {
      key: null,
    });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(body).toMatchObject({
      issuer: 'http://localhost:8025',
      authorization_endpoint: 'http://localhost:8025/portal/connect',
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      protected_resources: [MCP_URL],
    });
  });

  test('may be asked by pages of others, which get no cookie along', async () => {
    for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke']) {
      const { status, headers } = await service.call('OPTIONS', path, { key: null });
      expect([status, headers['access-control-allow-origin']]).toEqual([204, '*']);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  test('know no password, no implicit grant and no field twice', async () => {
    const { clientId: client_id } = await newAgent(service);
    for (const grant_type of ['password', 'client_credentials', 'implicit', undefined])
      expect(await post(service, '/oauth/token', { grant_type, client_id })).toMatchObject({
        status: 400,
        body: { error: 'unsupported_grant_type' },
      });
    const twice = await service.call('POST', '/oauth/token', {
      key: null,
      body: 'grant_type=refresh_token&grant_type=authorization_code',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('are not there where the operator named no MCP server', async () => {
    const { service: closed } = await startGranting({});
    try {
      const person = await signedIn(closed, closed.account.tenantId, 'owner');
      const answers = [
        await closed.call('GET', '/.well-known/oauth-authorization-server', { key: null }),
        await register(closed),
        await post(closed, '/oauth/token', { grant_type: 'refresh_token' }),
        await post(closed, '/oauth/revoke', { token: 'x' }),
        await person.call('GET', '/grants/request'),
        await person.call('POST', '/grants', { scopes: BOTH, request: {} }),
      ];
      for (const { status, body } of answers) {
        expect([status, body.error.code]).toEqual([404, 'not_found']);
        expect(body.error.message).toContain('ACUSE_MCP_URL');
      }
    } finally {
      await closed.stop();
    }
  });

  test('the page that asks the person is in nobody’s frame', async () => {
    const { headers } = await service.call('GET', '/portal/connect', { key: null });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});
