import type { Scope } from '../api-keys/scopes.ts';

/** Who a request speaks for; set by authentication, before anything reads a body. */
export interface Principal {
  tenantId: string;
  apiKeyId: string;
  scopes: readonly Scope[];
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
  }
  interface FastifyContextConfig {
    /** Any one of these scopes lets the caller in; absent: the route needs no key. */
    scopes?: readonly Scope[];
  }
}
