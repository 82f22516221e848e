import { Type } from 'typebox';
import { Id, line, mapOf, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';

/** Schemas of the routes for passkeys. The names inside of credentials and options are WebAuthn's. */

const NAME_MAX_CHARS = 100;
/** A sealed challenge has 92. */
const ATTEMPT_MAX_CHARS = 200;
/** A credential id of 1023 bytes. W3C WebAuthn 3 §7.1 */
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

export const PasskeyRegistration = named(
  'PasskeyRegistration',
  {
    ...credentialFields,
    response: named('PasskeyAttestation', {
      clientDataJSON: part,
      attestationObject: part,
      authenticatorData: Type.Optional(part),
      publicKey: Type.Optional(part),
      publicKeyAlgorithm: Type.Optional(Type.Integer()),
      transports: Type.Optional(Transports),
    }),
  },
  { description: 'The result of PublicKeyCredential.toJSON().' },
);

export const PasskeyAssertion = named(
  'PasskeyAssertion',
  {
    ...credentialFields,
    response: named('PasskeySignature', {
      clientDataJSON: part,
      authenticatorData: part,
      signature: part,
      userHandle: Type.Optional(base64url(CREDENTIAL_ID_MAX_CHARS)),
    }),
  },
  { description: 'The result of PublicKeyCredential.toJSON().' },
);

/** A passkey that is shown in place of, or after, a password. */
export const PasskeyProof = named('PasskeyProof', { attempt: Attempt, credential: PasskeyAssertion });

const PasskeyName = line(NAME_MAX_CHARS, { examples: ['Laptop'] });

export const NewPasskeySchema = named('NewPasskey', {
  attempt: Attempt,
  credential: PasskeyRegistration,
  name: Type.Optional({ ...PasskeyName, description: 'Without one, that of the browser that asks.' }),
});

export const PasskeyChange = named('PasskeyChange', { name: PasskeyName });

export const PasskeySchema = named('Passkey', {
  id: Id,
  name: PasskeyName,
  synced: Type.Boolean({
    description: 'Synchronized by its provider, not kept on one device alone.',
  }),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
});

export const PasskeyList = named(
  'PasskeyList',
  { data: Type.Array(PasskeySchema) },
  { description: 'Oldest first; at most 20.' },
);

export const AddedPasskey = named('AddedPasskey', {
  passkey: PasskeySchema,
  recovery_codes: nullable(
    Type.Array(Type.String({ examples: ['7k2m-x9ra-0tqe-4vbn'] })),
    'Ten codes with the first second factor, each good once and shown only once; null: there are some already.',
  ),
});

const PublicKey = Type.Literal('public-key');
const Descriptors = Type.Array(
  named('PasskeyDescriptor', { type: PublicKey, id: Type.String(), transports: Type.Array(Type.String()) }),
);
const challenge = Type.String({ description: '256 random bits in base64url.' });
const timeout = Type.Integer({ description: 'In milliseconds.' });
const Required = Type.Literal('required');

export const RegistrationOptions = named('NewPasskeyOptions', {
  attempt: Type.String({ description: 'To be sent with the new passkey.' }),
  options: named(
    'PasskeyCreationOptions',
    {
      challenge,
      rp: named('RelyingParty', { id: Type.String(), name: Type.String() }),
      user: named('PasskeyOwner', { id: Type.String(), name: Type.String(), displayName: Type.String() }),
      pubKeyCredParams: Type.Array(named('PasskeyAlgorithm', { type: PublicKey, alg: Type.Integer() })),
      timeout,
      excludeCredentials: Descriptors,
      authenticatorSelection: named('PasskeyDemands', {
        residentKey: Required,
        requireResidentKey: Type.Boolean(),
        userVerification: Required,
      }),
      attestation: Type.Literal('none'),
    },
    { description: 'For PublicKeyCredential.parseCreationOptionsFromJSON().' },
  ),
});

export const ProofOptions = named('PasskeyProofOptions', {
  attempt: Type.String({ description: 'To be sent with the passkey.' }),
  options: named(
    'PasskeyRequestOptions',
    { challenge, rpId: Type.String(), timeout, userVerification: Required, allowCredentials: Descriptors },
    { description: 'For PublicKeyCredential.parseRequestOptionsFromJSON().' },
  ),
});
