import { Type } from 'typebox';
import { Email, Password } from '../../people/sessions/session-schemas.ts';
import { Id, line, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import { OPERATOR_ROLES } from '../../platform/http/http.ts';

const NAME_MAX_CHARS = 200;
const ZONE_MAX_CHARS = 64;

export const RoleSchema = Type.Enum([...OPERATOR_ROLES], {
  description: 'support: reads, retry, cancel, pause and resume; admin: everything.',
  $id: 'OperatorRole',
});
const Locale = Type.Enum(['es', 'en'], { $id: 'Locale' });
const maybeLocale = nullable(Locale, 'null: as the browser asks.');
const Zone = Type.String({ maxLength: ZONE_MAX_CHARS, examples: ['America/Mexico_City'] });

export const SignInStateSchema = named('SignInState', {
  state: Type.Enum(['signed_in', 'second_factor']),
  methods: Type.Array(Type.Enum(['passkey', 'totp', 'recovery_code', 'enrol']), {
    description: 'Accepted second factors; enrol: one must be set up first.',
  }),
});

const operatorFields = {
  id: Id,
  email: Type.String({ examples: ['ana@example.com'] }),
  name: nullable(Type.String({ examples: ['Ana López'] })),
  role: RoleSchema,
  has_password: Type.Boolean(),
  has_totp: Type.Boolean({ description: 'Codes of an authenticator app are asked for at sign-in.' }),
  has_passkeys: Type.Boolean({ description: 'A passkey signs in; a password alone does not any more.' }),
};

export const OperatorSchema = named('Operator', { ...operatorFields, created_at: Timestamp });

const LinkSchema = named('OperatorLink', {
  url: Type.String({
    description: 'Signs in once. It is shown only now.',
    examples: ['http://localhost:8030/link#sign_in=…'],
  }),
  expires_at: Timestamp,
});

export const LinkedOperator = named('LinkedOperator', { operator: OperatorSchema, link: LinkSchema });

export const NewOperatorSchema = named('NewOperator', {
  email: Email,
  name: Type.Optional(line(NAME_MAX_CHARS, { examples: ['Ana López'] })),
  role: RoleSchema,
});

export const OperatorChangeSchema = named('OperatorChange', { role: RoleSchema });

export const SelfSchema = named('SignedInOperator', {
  ...operatorFields,
  locale: maybeLocale,
  time_zone: Zone,
});

export const SelfChange = named(
  'SelfChange',
  {
    email: Type.Optional(Email),
    name: Type.Optional(line(NAME_MAX_CHARS, { examples: ['Ana López'] })),
    locale: Type.Optional(maybeLocale),
    time_zone: Type.Optional(Zone),
  },
  { minProperties: 1 },
);

export const SessionSchema = named('OperatorSession', {
  operator: SelfSchema,
  second_factor_required: Type.Boolean({
    description: 'The console is reachable from other machines: operators need a second factor.',
  }),
  authenticated_at: { ...Timestamp, description: 'When this operator last showed who they are.' },
  expires_at: { ...Timestamp, description: 'When the session ends if no request comes before.' },
});

export const NewPasswordSchema = named('NewPassword', {
  password: Password,
  current_password: Type.Optional(Password),
});
