import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { TSchema } from 'typebox';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export const SCOPES = ['messages:send', 'evidence:read', 'suppressions:write', 'api_keys:write'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Actor {
  readonly kind: 'key' | 'user' | 'share';
  readonly id: string;
  readonly name: string;
}

/** Parts that a key may be kept from changing. */
export const READ_ONLY_PARTS = ['domains', 'webhooks'] as const;
export type ReadOnlyPart = (typeof READ_ONLY_PARTS)[number];

export interface Narrowing {
  /** Addresses, and `*@domain`, that may be in From; null: all. */
  readonly senders: readonly string[] | null;
  /** Addresses and networks that it may be used from; null: all. */
  readonly networks: readonly string[] | null;
  readonly expiresAt: Date | null;
  readonly readOnly: readonly ReadOnlyPart[];
  /** Each send waits until a person approves it. */
  readonly needsApproval: boolean;
}

export const NOT_NARROWED: Narrowing = {
  ...{ senders: null, networks: null, expiresAt: null },
  ...{ readOnly: [], needsApproval: false },
};

/** The caller of a request; set by authentication before the body is read. */
export interface Principal {
  tenantId: string;
  actor: Actor;
  scopes: readonly Scope[];
  /** Absent: not narrowed. */
  narrowing?: Narrowing;
  /** The MCP server that the key was granted for. Absent: none in particular. */
  resource?: string;
}

/** Doors that a session opens: the portal's for customers, and the admin console's. */
export type DoorName = 'portal' | 'admin';

/**
 * Callers that need no scope. nobody: no session needed; half: the second factor is still missing; session:
 * signed in; owner: an owner of the account.
 */
export type Admits = 'nobody' | 'half' | 'session' | 'owner';

export const OPERATOR_ROLES = ['admin', 'support'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/**
 * keyed: has an Idempotency-Key, so that a repeat does nothing twice. repeatable: a repeat changes nothing.
 * once: a repeat acts again, or is refused.
 */
export type PostRetry = 'keyed' | 'repeatable' | 'once';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
  }
  interface FastifyContextConfig {
    /** Any of these scopes is enough; absent: no key needed. */
    scopes?: readonly Scope[];
    door?: DoorName;
    /** For routes behind a door without scopes; default `session`. */
    admits?: Admits;
    /** In the admin console: the role required; an admin may do what support may. */
    operator?: OperatorRole;
    /** Behind a door: does not keep the session alive. */
    passive?: boolean;
    /** Behind a door: requires a recent authentication, else reauthentication_required. */
    stepUp?: boolean;
  }
  /** Reference (OpenAPI) data beyond the schemas. */
  interface FastifySchema {
    operationId?: string;
    tags?: readonly string[];
    summary?: string;
    /** For a POST: how a client may retry when it does not know the outcome. */
    retry?: PostRetry;
    description?: string;
    hide?: boolean;
    /** By status: its meaning, and extra header fields. */
    answers?: Readonly<
      Record<number, { readonly description?: string; readonly headers?: Readonly<Record<string, TSchema>> }>
    >;
  }
}
