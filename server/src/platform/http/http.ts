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

/** What an API key may be allowed to do: the specification's four scopes. */
export const SCOPES = ['messages:send', 'evidence:read', 'suppressions:write', 'api_keys:write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who acts, as records of what was done show it. */
export interface Actor {
  readonly kind: 'key' | 'user' | 'share';
  readonly id: string;
  /** Of a key its name, of a person the name or the address. */
  readonly name: string;
}

/** Who a request speaks for; set by authentication, before anything reads a body. */
export interface Principal {
  tenantId: string;
  actor: Actor;
  scopes: readonly Scope[];
}

/** Doors that a session opens: the portal's, with a customer's user, and the admin console's. */
export type DoorName = 'portal' | 'admin';

/**
 * Who may come in where no scope is asked for. nobody: anybody, without a session; half: a session whose
 * second factor is still to come; session: a person who is signed in; owner: an owner of the account.
 */
export type Admits = 'nobody' | 'half' | 'session' | 'owner';

/** support: reads, and retry, cancel, pause and resume; admin: everything. */
export type OperatorRole = 'admin' | 'support';

/**
 * keyed: carries an Idempotency-Key, under which a repeated request does nothing twice. repeatable: twice is
 * as once. once: a second request does a second thing, or is refused.
 */
export type PostRetry = 'keyed' | 'repeatable' | 'once';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
  }
  interface FastifyContextConfig {
    /** Any one of these scopes lets the caller in; absent: the route needs no key. */
    scopes?: readonly Scope[];
    /** The door that the route is behind; absent: the machine API's, which an API key opens. */
    door?: DoorName;
    /** Behind a door, of routes without scopes; `session` unless said otherwise. */
    admits?: Admits;
    /** Behind the admin console's door: the role that it asks for; an admin may do what support may. */
    operator?: OperatorRole;
    /** Behind a door: asking is no use of the session, which ends of idleness all the same. */
    passive?: boolean;
    /** Behind a door: demands an authentication of the last minutes, else reauthentication_required. */
    stepUp?: boolean;
  }
  /** What the reference (OpenAPI) says of a route in addition to its schemas. */
  interface FastifySchema {
    operationId?: string;
    tags?: readonly string[];
    /** A few words, without a full stop. */
    summary?: string;
    /** Of a POST: what a client may do when it does not know what became of a request. */
    retry?: PostRetry;
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
