import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { TSchema } from 'typebox';

/** The words that routes are written in. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What an API key may be allowed to do; interface.md "Authentication". */
export const SCOPES = ['messages:send', 'evidence:read', 'suppressions:write', 'api_keys:write'] as const;
export type Scope = (typeof SCOPES)[number];

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
  /** What the reference (OpenAPI) says of a route in addition to its schemas. */
  interface FastifySchema {
    operationId?: string;
    tags?: readonly string[];
    /** A few words, without a full stop. */
    summary?: string;
    description?: string;
    /** Keeps the route out of the reference. */
    hide?: boolean;
    /**
     * By status, what `response` cannot say of an answer: its meaning, and header fields in addition to those
     * that every answer has.
     */
    answers?: Readonly<
      Record<number, { readonly description?: string; readonly headers?: Readonly<Record<string, TSchema>> }>
    >;
  }
}
