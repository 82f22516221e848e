import type { ApiErrorCode } from '../../errors.ts';
import type { DoorName } from '../../platform/http/http.ts';
import type { DescribedRoute } from '../../platform/http/route-list.ts';
import type { OpenApiDocument } from './openapi.ts';
import { INFO, SECURITY_SCHEMES, SESSION_RULES } from './preamble.ts';

export interface Access {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly sentence: string;
  /** In addition to the route's. */
  readonly refusals: readonly ApiErrorCode[];
}

/** Each audience has a document in contract/. */
export interface Audience {
  /** Undefined: the machine API and public routes. */
  readonly door: DoorName | undefined;
  readonly info: Omit<OpenApiDocument['info'], 'version'>;
  readonly securitySchemes: Readonly<Record<string, object>>;
  /** False: commands have no browser cookie. */
  readonly samples: boolean;
  /** False: no clients for browser sessions. */
  readonly retries: boolean;
  readonly webhooks: boolean;
  accessOf(route: DescribedRoute): Access;
}

export const MACHINE: Audience = {
  door: undefined,
  info: INFO,
  securitySchemes: SECURITY_SCHEMES,
  samples: true,
  retries: true,
  webhooks: true,
  accessOf: ({ scopes }) => ({
    security: (scopes ?? []).map((scope) => ({ apiKey: [scope] })),
    sentence: scopes === undefined ? 'No key needed.' : `Scope: ${listed(scopes)}.`,
    refusals: [],
  }),
};

export const PORTAL: Audience = {
  door: 'portal',
  info: {
    ...INFO,
    title: 'Acuse portal',
    description: `Operations of the portal: the machine API through a person's session, and those of people alone, such as signing in.

**Sessions.** The cookie that \`POST /v1/portal/session\` sets names the person; \`Service-Account\` names the account where a person has several. The scopes that an operation names are those of the person's role. No API key is taken here, and no cookie by the machine API.

**The same answers.** An operation of the machine API answers here exactly what it answers there: its bodies, refusals and cursors are the same, but for the limits of rate and \`Location\`, which leads through the same door.

${SESSION_RULES}`,
  },
  securitySchemes: { session: cookieOf('__Host-acuse_portal') },
  samples: false,
  retries: false,
  webhooks: false,
  accessOf: accessBySession,
};

export const ADMIN: Audience = {
  door: 'admin',
  info: {
    ...INFO,
    title: 'Acuse admin console',
    description: `Operations of the operator's console: those of the command line, over HTTP, on a listener of their own.

**Sessions.** The cookie that \`POST /v1/admin/session\` sets names the operator. No API key and no session of the portal is taken here.

${SESSION_RULES}`,
  },
  securitySchemes: { session: cookieOf('__Host-acuse_admin') },
  samples: false,
  retries: false,
  webhooks: false,
  accessOf: accessByRole,
};

function cookieOf(name: string) {
  return {
    type: 'apiKey',
    in: 'cookie',
    name,
    description: `A person's session. Over http on a loopback address the cookie has no prefix: \`${name.replace('__Host-', '')}\`.`,
  };
}

const ADMITTED = {
  nobody: 'No session needed.',
  half: 'A session, which may still lack its second factor.',
  session: 'A session.',
  owner: 'The role of an owner.',
} as const;

function accessByRole(route: DescribedRoute): Access {
  const { operator } = route;
  if (operator === undefined) return accessBySession(route);
  const sentence = operator === 'admin' ? 'Role: `admin`.' : 'Role: `support` or `admin`.';
  return {
    ...accessBySession(route),
    security: [{ session: [operator] }],
    sentence: sentence + freshOf(route),
  };
}

function accessBySession(route: DescribedRoute): Access {
  const { scopes, admits = 'session', stepUp } = route;
  const sentence = scopes === undefined ? ADMITTED[admits] : `Scope: ${listed(scopes)}.`;
  return {
    security: sessionOf(scopes, admits),
    sentence: sentence + freshOf(route),
    refusals: ['cross_origin_refused', ...(stepUp ? (['reauthentication_required'] as const) : [])],
  };
}

function freshOf({ stepUp }: DescribedRoute): string {
  return stepUp ? ' An authentication of the last 10 minutes.' : '';
}

function sessionOf(
  scopes: DescribedRoute['scopes'],
  admits: NonNullable<DescribedRoute['admits']>,
): Access['security'] {
  if (scopes !== undefined) return scopes.map((scope) => ({ session: [scope] }));
  if (admits === 'nobody') return [];
  return [{ session: admits === 'session' ? [] : [admits] }];
}

function listed(scopes: readonly string[]): string {
  return scopes.map((scope) => `\`${scope}\``).join(' or ');
}
