import { Type } from 'typebox';
import { Id, line, mapOf, nullable, Timestamp } from '../../platform/http/api-schema.ts';

/** Schemas of the routes for passkeys. The names inside of credentials and options are WebAuthn's. */

const NAME_MAX_CHARS = 100;
/** A sealed challenge has 92. */
const ATTEMPT_MAX_CHARS = 200;
/** Of 1023 bytes. W3C WebAuthn 3 §7.1 */
const CREDENTIAL_ID_MAX_CHARS = 1364;
/** Browsers use a few hundred. */
const PART_MAX_CHARS = 8192;
const TRANSPORTS_MAX = 16;
const TRANSPORT_MAX_CHARS = 40;

const base64url = (maxLength: number, description?: string) =>
  Type.String({
    maxLength,
    pattern: '^[A-Za-z0-9_-]*$',
    ...(description !== undefined && { description }),
  });
const part = base64url(PART_MAX_CHARS);
const closed = { additionalProperties: false } as const;

const Attempt = base64url(
  ATTEMPT_MAX_CHARS,
  'As it came with the options. Good once, for 5 minutes, in the session that asked for it.',
);
const credentialFields = {
  id: base64url(CREDENTIAL_ID_MAX_CHARS),
  rawId: base64url(CREDENTIAL_ID_MAX_CHARS),
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(nullable(Type.String({ maxLength: TRANSPORT_MAX_CHARS }))),
  clientExtensionResults: Type.Optional(mapOf(Type.Unknown())),
};
const Transports = Type.Array(Type.String({ maxLength: TRANSPORT_MAX_CHARS }), { maxItems: TRANSPORTS_MAX });

export const PasskeyRegistration = Type.Object(
  {
    ...credentialFields,
    response: Type.Object(
      {
        clientDataJSON: part,
        attestationObject: part,
        authenticatorData: Type.Optional(part),
        publicKey: Type.Optional(part),
        publicKeyAlgorithm: Type.Optional(Type.Integer()),
        transports: Type.Optional(Transports),
      },
      { ...closed, $id: 'PasskeyAttestation' },
    ),
  },
  { ...closed, $id: 'PasskeyRegistration', description: 'The result of PublicKeyCredential.toJSON().' },
);

export const PasskeyAssertion = Type.Object(
  {
    ...credentialFields,
    response: Type.Object(
      {
        clientDataJSON: part,
        authenticatorData: part,
        signature: part,
        userHandle: Type.Optional(base64url(CREDENTIAL_ID_MAX_CHARS)),
      },
      { ...closed, $id: 'PasskeySignature' },
    ),
  },
  { ...closed, $id: 'PasskeyAssertion', description: 'The result of PublicKeyCredential.toJSON().' },
);

/** A passkey that is shown in place of, or after, a password. */
export const PasskeyProof = Type.Object(
  { attempt: Attempt, credential: PasskeyAssertion },
  { ...closed, $id: 'PasskeyProof' },
);

const PasskeyName = line(NAME_MAX_CHARS, { examples: ['Laptop'] });

export const NewPasskeySchema = Type.Object(
  {
    attempt: Attempt,
    credential: PasskeyRegistration,
    name: Type.Optional({ ...PasskeyName, description: 'Without one, that of the browser that asks.' }),
  },
  { ...closed, $id: 'NewPasskey' },
);

export const PasskeyChange = Type.Object({ name: PasskeyName }, { ...closed, $id: 'PasskeyChange' });

export const PasskeySchema = Type.Object(
  {
    id: Id,
    name: PasskeyName,
    synced: Type.Boolean({
      description: 'Kept in an account at some provider, and not on one device alone.',
    }),
    created_at: Timestamp,
    last_used_at: nullable(Timestamp),
  },
  { ...closed, $id: 'Passkey' },
);

export const PasskeyList = Type.Object(
  { data: Type.Array(PasskeySchema) },
  { ...closed, $id: 'PasskeyList', description: 'Oldest first; at most 20.' },
);

export const AddedPasskey = Type.Object(
  {
    passkey: PasskeySchema,
    recovery_codes: nullable(
      Type.Array(Type.String({ examples: ['7k2m-x9ra-0tqe-4vbn'] })),
      'Ten codes with the first second factor, each good once and shown only once; null: there are some already.',
    ),
  },
  { ...closed, $id: 'AddedPasskey' },
);

const PublicKey = Type.Literal('public-key');
const Descriptors = Type.Array(
  Type.Object(
    { type: PublicKey, id: Type.String(), transports: Type.Array(Type.String()) },
    { ...closed, $id: 'PasskeyDescriptor' },
  ),
);
const challenge = Type.String({ description: '256 random bits in base64url.' });
const timeout = Type.Integer({ description: 'In milliseconds.' });
const Required = Type.Literal('required');

export const RegistrationOptions = Type.Object(
  {
    attempt: Type.String({ description: 'To be sent with the new passkey.' }),
    options: Type.Object(
      {
        challenge,
        rp: Type.Object({ id: Type.String(), name: Type.String() }, { ...closed, $id: 'RelyingParty' }),
        user: Type.Object(
          { id: Type.String(), name: Type.String(), displayName: Type.String() },
          { ...closed, $id: 'PasskeyOwner' },
        ),
        pubKeyCredParams: Type.Array(
          Type.Object({ type: PublicKey, alg: Type.Integer() }, { ...closed, $id: 'PasskeyAlgorithm' }),
        ),
        timeout,
        excludeCredentials: Descriptors,
        authenticatorSelection: Type.Object(
          { residentKey: Required, requireResidentKey: Type.Boolean(), userVerification: Required },
          { ...closed, $id: 'PasskeyDemands' },
        ),
        attestation: Type.Literal('none'),
      },
      {
        ...closed,
        $id: 'PasskeyCreationOptions',
        description: 'For PublicKeyCredential.parseCreationOptionsFromJSON().',
      },
    ),
  },
  { ...closed, $id: 'NewPasskeyOptions' },
);

export const ProofOptions = Type.Object(
  {
    attempt: Type.String({ description: 'To be sent with the passkey.' }),
    options: Type.Object(
      { challenge, rpId: Type.String(), timeout, userVerification: Required, allowCredentials: Descriptors },
      {
        ...closed,
        $id: 'PasskeyRequestOptions',
        description: 'For PublicKeyCredential.parseRequestOptionsFromJSON().',
      },
    ),
  },
  { ...closed, $id: 'PasskeyProofOptions' },
);
