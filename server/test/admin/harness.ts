import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertRole, type OperatorPrincipal } from '../../src/admin/access.ts';
import { createAudit } from '../../src/admin/audit.ts';
import type { AdminDeps } from '../../src/admin/deps.ts';
import { operationRoutes } from '../../src/admin/routes.ts';
import { apiError } from '../../src/errors.ts';
import type { App } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { type Checks, createChecks } from '../../src/sealing/fsck/checks.ts';
import type { Answer, CallOptions, TestService } from '../support/service.ts';

/** The operations of the admin console over a service of a test; whose request it is, a header says. */
export interface AdminSide {
  readonly app: App;
  readonly checks: Checks;
  readonly deps: AdminDeps;
  /** As an admin unless `as` says otherwise. */
  call(
    method: string,
    path: string,
    options?: CallOptions & { as?: keyof typeof OPERATORS },
  ): Promise<Answer>;
  /** What was recorded, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  audited(query?: string): Promise<any[]>;
  close(): Promise<void>;
}

const operator = (name: string, id: string, role: 'admin' | 'support'): OperatorPrincipal => ({
  operatorId: id,
  email: `${name.toLowerCase()}@example.com`,
  name,
  role,
  sessionId: id,
  authenticatedAt: new Date(),
});

export const OPERATORS = {
  ana: operator('Ana', '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a01', 'admin'),
  luis: operator('Luis', '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a02', 'admin'),
  support: operator('Sara', '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a03', 'support'),
};

export function openAdminSide({ services }: TestService): AdminSide {
  const checks = createChecks(services);
  const deps: AdminDeps = { ...services, checks, audit: createAudit(services) };
  const app = createHttpServer({ log: services.log, authenticate, trustProxy: null });
  operationRoutes(app, deps);

  async function call(
    method: string,
    path: string,
    { body, as = 'ana' }: CallOptions & { as?: keyof typeof OPERATORS } = {},
  ): Promise<Answer> {
    const answer = await app.inject({
      method: method as 'GET',
      url: `/v1/admin${path}`,
      headers: {
        'x-test-operator': as,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      body: /json/.test(String(answer.headers['content-type'])) ? answer.json() : answer.body,
      raw: answer.rawPayload,
      headers: answer.headers,
    };
  }

  return {
    app,
    checks,
    deps,
    call,
    audited: async (query = '') => (await call('GET', `/audit${query}`)).body.data,
    async close() {
      await checks.stop();
      await app.close();
    },
  };
}

async function authenticate(request: FastifyRequest, _reply: FastifyReply): Promise<void> {
  const { operator: role } = request.routeOptions.config;
  if (role === undefined) throw apiError('not_found');
  request.operator = OPERATORS[request.headers['x-test-operator'] as keyof typeof OPERATORS];
  assertRole(request.operator, role);
}
