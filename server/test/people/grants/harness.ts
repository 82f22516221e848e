import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Person } from '../../support/people.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';

export const MCP_URL = 'https://mcp.example.com/mcp';
export const RETURN = 'https://agent.example/callback';

/** A service that lets agents in, and a clock that can be put ahead. */
export async function startGranting(environment: Record<string, string> = { ACUSE_MCP_URL: MCP_URL }) {
  const ahead = { ms: 0 };
  const clock: Clock = {
    now: () => new Date(Date.now() + ahead.ms),
    monotonicMs: () => performance.now() + ahead.ms,
  };
  const service = await startTestService({
    environment: { ACUSE_TRUST_PROXY: '127.0.0.1', ...environment },
    clock,
  });
  return { service, ahead };
}

export type Fields = Readonly<Record<string, string | undefined>>;

export function register(service: TestService, metadata: object = {}): Promise<Answer> {
  const body = { client_name: 'Test agent', redirect_uris: [RETURN], ...metadata };
  return service.call('POST', '/oauth/register', { key: null, body });
}

export function post(service: TestService, path: string, fields: Fields): Promise<Answer> {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return service.call('POST', path, {
    key: null,
    body: new URLSearchParams(given).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

/** A program that was let in as far as it wants: what it asks with, and what it can redeem. */
export interface Agent {
  readonly clientId: string;
  readonly verifier: string;
  readonly asked: Fields;
}

export async function newAgent(
  service: TestService,
  changes: Fields = {},
  metadata: object = {},
): Promise<Agent> {
  const registered = await register(service, metadata);
  const verifier = randomBytes(32).toString('base64url');
  const clientId: string = registered.body.client_id;
  const asked = {
    client_id: clientId,
    redirect_uri: RETURN,
    response_type: 'code',
    scope: 'messages:send evidence:read',
    state: 'the state & more',
    resource: MCP_URL,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  return { clientId, verifier, asked };
}

export const BOTH = ['messages:send', 'evidence:read'];

export function approve(person: Person, agent: Agent, scopes: readonly string[] = BOTH): Promise<Answer> {
  return person.call('POST', '/grants', { scopes, request: agent.asked });
}

export async function codeFor(person: Person, agent: Agent, scopes?: readonly string[]): Promise<string> {
  const { status, body } = await approve(person, agent, scopes);
  if (status !== 201) throw new Error(`not approved: ${status} ${JSON.stringify(body)}`);
  return new URL(body.redirect_to).searchParams.get('code')!;
}

export function redeem(
  service: TestService,
  agent: Agent,
  code: string,
  changes: Fields = {},
): Promise<Answer> {
  return post(service, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    client_id: agent.clientId,
    redirect_uri: agent.asked['redirect_uri'],
    code_verifier: agent.verifier,
    resource: MCP_URL,
    ...changes,
  });
}

export function refresh(
  service: TestService,
  agent: Agent,
  token: string,
  changes: Fields = {},
): Promise<Answer> {
  return post(service, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: agent.clientId,
    resource: MCP_URL,
    ...changes,
  });
}

export async function tokensFor(service: TestService, person: Person, agent: Agent) {
  const { status, body } = await redeem(service, agent, await codeFor(person, agent));
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
  return body as { access_token: string; refresh_token: string; expires_in: number; scope: string };
}
