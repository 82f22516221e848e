import { type Static, Type } from 'typebox';
import { Id, line, named, nullable, openNamed, Timestamp } from '../../platform/http/api-schema.ts';
import { SCOPES } from '../../platform/http/http.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import type { Member } from './members-store.ts';
import { PasskeyProof } from './passkey-schemas.ts';
import { PASSWORD_MAX_CHARS } from './password-rules.ts';
import type { Person } from './person.ts';
import { IDLE_MS } from './portal-sessions.ts';
import { MEMBER_ROLES, SCOPES_OF_ROLE } from './roles.ts';
import type { PortalSession } from './session-door.ts';

export const SESSION_BODY_LIMIT_BYTES = 16 * 1024;

const EMAIL_MAX_CHARS = 320;
/** A token has 43 characters; anything longer reads as invalid_link. */
const SECRET_MAX_CHARS = 200;
const CODE_MAX_CHARS = 40;
const NAME_MAX_CHARS = 200;
/** Longer than any password may be: which one is too long is said by weak_password. */
const TYPED_PASSWORD_MAX_CHARS = 4 * PASSWORD_MAX_CHARS;

export const Email = Type.String({ maxLength: EMAIL_MAX_CHARS, examples: ['ana@example.com'] });
export const Password = Type.String({
  maxLength: TYPED_PASSWORD_MAX_CHARS,
  description: 'From 12 to 256 characters.',
});
export const LinkSecret = Type.String({
  maxLength: SECRET_MAX_CHARS,
  description: 'The part after the # of a one-time link.',
});
export const Code = Type.String({
  maxLength: CODE_MAX_CHARS,
  description: 'Six digits of the authenticator app.',
  examples: ['287082'],
});
const RecoveryCode = Type.String({
  maxLength: CODE_MAX_CHARS,
  description: 'A recovery code, good once.',
  examples: ['7k2m-x9ra-0tqe-4vbn'],
});
export const Role = Type.Enum([...MEMBER_ROLES], {
  $id: 'MemberRole',
  description: 'Roles of a person in an account.',
});
const Locale = Type.Enum(['es', 'en'], { $id: 'Locale' });

export const SignIn = named(
  'SignIn',
  {
    email: Type.Optional(Email),
    password: Type.Optional(Password),
    link: Type.Optional(LinkSecret),
    replace_session: Type.Optional(
      Type.Boolean({
        description:
          "With link: ends another person's session that is open in this browser, if there is one.",
      }),
    ),
    passkey: Type.Optional(PasskeyProof),
  },
  { description: 'email and password, or link alone, or passkey alone.' },
);

export const SignInState = openNamed('SignInState', {
  state: Type.Enum(['signed_in', 'second_factor'], { $id: 'SignInStep' }),
  methods: Type.Array(Type.Enum(['passkey', 'totp', 'recovery_code'], { $id: 'SecondFactor' }), {
    description: 'Accepted second factors; empty when none is needed.',
  }),
});

export const SecondFactorProof = named(
  'SecondFactorProof',
  {
    code: Type.Optional(Code),
    recovery_code: Type.Optional(RecoveryCode),
    passkey: Type.Optional(PasskeyProof),
  },
  { description: 'One of them.' },
);

export const Reauthentication = named(
  'Reauthentication',
  {
    password: Type.Optional(Password),
    code: Type.Optional(Code),
    recovery_code: Type.Optional(RecoveryCode),
    passkey: Type.Optional(PasskeyProof),
  },
  { description: 'One of them.' },
);

export const UserSchema = openNamed('User', {
  id: Id,
  email: Type.String({ examples: ['ana@example.com'] }),
  name: nullable(Type.String({ examples: ['Ana López'] })),
  locale: { ...nullable(Locale), description: 'Null: as the browser asks.' },
  time_zone: Type.String({ examples: ['America/Mexico_City'] }),
  has_password: Type.Boolean(),
  has_totp: Type.Boolean({ description: 'Codes of an authenticator app are asked for at sign-in.' }),
  has_passkeys: Type.Boolean({ description: 'A passkey signs in; a password alone does not any more.' }),
});

export const UserChange = named(
  'UserChange',
  {
    name: Type.Optional(line(NAME_MAX_CHARS, { examples: ['Ana López'] })),
    locale: Type.Optional(nullable(Locale, 'Null: as the browser asks.')),
    time_zone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'A name of the time zone database.',
        examples: ['America/Tijuana'],
      }),
    ),
  },
  { minProperties: 1 },
);

const SessionAccount = openNamed('SessionAccount', {
  id: Id,
  name: Type.String({ examples: ['Example S.A.'] }),
  status: Type.Enum(['active', 'suspended', 'deactivated'], { $id: 'AccountStatus' }),
  sandbox: Type.Boolean(),
  role: Role,
  scopes: Type.Array(Type.Enum([...SCOPES], { $id: 'Scope' })),
  second_factor_missing: Type.Boolean({
    description:
      'The account demands a second factor that this person has not set up: nothing opens until then.',
  }),
});

export const SessionSchema = openNamed('PortalSession', {
  user: UserSchema,
  accounts: Type.Array(SessionAccount),
  authenticated_at: { ...Timestamp, description: 'When this person last showed who they are.' },
  expires_at: { ...Timestamp, description: 'When the session ends if no request comes before.' },
});

export const ListedSession = openNamed('UserSession', {
  id: Id,
  current: Type.Boolean({ description: 'The one that asks.' }),
  device: Type.String({ examples: ['Firefox on Linux'] }),
  client_address: Type.String({ examples: ['192.0.2.25'] }),
  created_at: Timestamp,
  last_seen_at: { ...Timestamp, description: 'To the minute.' },
});

export const MemberSchema = openNamed('Member', {
  id: Id,
  email: Type.String({ examples: ['ana@example.com'] }),
  name: nullable(Type.String()),
  role: Role,
  state: Type.Enum(['invited', 'active'], { $id: 'MemberState' }),
  has_second_factor: Type.Boolean(),
  created_at: Timestamp,
  invitation_expires_at: nullable(
    Timestamp,
    'When the link of the invitation stops working; null once it was accepted.',
  ),
});

export function presentUser(
  user: Pick<Person, 'personId' | 'email' | 'name' | 'locale' | 'timeZone'> & {
    hasPassword: boolean;
    hasTotp: boolean;
    hasPasskeys: boolean;
  },
) {
  return {
    id: user.personId,
    email: user.email,
    name: user.name === '' ? null : user.name,
    locale: user.locale,
    time_zone: user.timeZone,
    has_password: user.hasPassword,
    has_totp: user.hasTotp,
    has_passkeys: user.hasPasskeys,
  };
}

export function presentSession(session: PortalSession): Static<typeof SessionSchema> {
  const idleEnd = session.lastSeenAt.getTime() + IDLE_MS;
  return {
    user: presentUser(session),
    accounts: session.memberships.map((account) => ({
      id: account.tenantId,
      name: account.accountName,
      status: account.status,
      sandbox: account.sandbox,
      role: account.role,
      scopes: [...SCOPES_OF_ROLE[account.role]],
      second_factor_missing: account.requiresSecondFactor && !hasSecondFactor(session),
    })),
    authenticated_at: session.authenticatedAt.toISOString(),
    expires_at: new Date(Math.min(idleEnd, session.expiresAt.getTime())).toISOString(),
  };
}

export function presentMember(member: Member): Static<typeof MemberSchema> {
  const isInvited = member.acceptedAt === null;
  return {
    id: member.id,
    email: member.email,
    // Before an invitation is accepted, it shows only what the inviter wrote.
    name: isInvited || member.name === '' ? null : member.name,
    role: member.role,
    state: isInvited ? 'invited' : 'active',
    has_second_factor: !isInvited && member.hasSecondFactor,
    created_at: member.createdAt.toISOString(),
    invitation_expires_at: member.invitedUntil?.toISOString() ?? null,
  };
}
