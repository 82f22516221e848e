import type { RelyingParty } from './own-origin.ts';

/**
 * WebAuthn requests to browsers, and their answers. A library reads and checks answers; it is loaded with the
 * first.
 */

/** EdDSA, ES256 and RS256: what authenticators have, as COSE numbers them. */
const ALGORITHMS = [-8, -7, -257];
/** How long browsers leave their question open (ms); a recommendation of W3C WebAuthn 3 §15.1. */
const TIMEOUT_MS = 5 * 60 * 1000;
/** Known ways to reach an authenticator; others are not kept. */
const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

interface Given {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
}

/** The fields of RegistrationResponseJSON that are read: W3C WebAuthn 3 §5.1. */
export interface GivenRegistration extends Given {
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports?: string[] | undefined;
  };
}

/** The fields of AuthenticationResponseJSON that are read: W3C WebAuthn 3 §5.1. */
export interface GivenAssertion extends Given {
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string | undefined;
  };
}

export interface Owner {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

interface KnownCredential {
  readonly credentialId: Uint8Array;
  readonly transports: readonly string[];
}

/** PublicKeyCredentialCreationOptions, as browsers parse them from JSON. */
export function creationOptions(
  party: RelyingParty & { readonly name: string },
  owner: Owner,
  challenge: Buffer,
  known: readonly KnownCredential[],
) {
  return {
    challenge: challenge.toString('base64url'),
    rp: { id: party.id, name: party.name },
    user: {
      id: userHandleOf(owner.id),
      name: owner.email,
      displayName: owner.name === '' ? owner.email : owner.name,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: {
      // To be found without an address; and unlocked by its owner, which makes it two factors.
      residentKey: 'required' as const,
      requireResidentKey: true,
      userVerification: 'required' as const,
    },
    attestation: 'none' as const,
  };
}

/** PublicKeyCredentialRequestOptions; without `known` the person chooses among what the device has. */
export function requestOptions(party: RelyingParty, challenge: Buffer, known: readonly KnownCredential[]) {
  return {
    challenge: challenge.toString('base64url'),
    rpId: party.id,
    timeout: TIMEOUT_MS,
    userVerification: 'required' as const,
    allowCredentials: known.map(descriptorOf),
  };
}

/** Sixteen bytes that say nothing of the person: W3C WebAuthn 3 §14.6.1. */
function userHandleOf(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

function descriptorOf({ credentialId, transports }: KnownCredential) {
  return {
    type: 'public-key' as const,
    id: Buffer.from(credentialId).toString('base64url'),
    transports: [...transports],
  };
}

export interface Registered {
  readonly credentialId: Buffer;
  /** A COSE key. */
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: string[];
  readonly backedUp: boolean;
}

export interface Expected {
  readonly party: RelyingParty;
  readonly challenge: string;
}

/** An answer that was not as asked, and why: for the operator's eyes. */
export interface Refused {
  readonly refused: string;
}

/** The ceremony of W3C WebAuthn 3 §7.1. */
export async function readRegistration(
  given: GivenRegistration,
  { party, challenge }: Expected,
): Promise<Registered | Refused> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(bytesOf(given.response.attestationObject));
    const statement = attestation.get('attStmt');
    const asked = attestation.get('fmt') === 'none';
    const own = attestation.get('fmt') === 'packed' && statement.get('x5c') === undefined;
    // We asked for none. Certificates in it would be followed: an answer must not make us call anybody.
    if (!asked && !own) return { refused: 'it came with an attestation that was not asked for' };
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: given.id,
        rawId: given.rawId,
        type: given.type,
        response: {
          clientDataJSON: given.response.clientDataJSON,
          attestationObject: given.response.attestationObject,
        },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return { refused: 'its signature is wrong' };
    if (embedded(given.response.clientDataJSON)) return { refused: 'it was made in a frame of another site' };
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      signCount: credential.counter,
      transports: TRANSPORTS.filter((each) => given.response.transports?.includes(each) === true),
      backedUp: credentialBackedUp,
    };
  } catch (error) {
    return { refused: reasonOf(error) };
  }
}

interface KeptCredential {
  readonly ownerId: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
}

export interface Asserted {
  readonly signCount: number;
  readonly backedUp: boolean;
}

/** The ceremony of W3C WebAuthn 3 §7.2, with an owner who was verified by the authenticator. */
export async function readAssertion(
  given: GivenAssertion,
  { party, challenge }: Expected,
  kept: KeptCredential,
): Promise<Asserted | Refused> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { userHandle, clientDataJSON, authenticatorData, signature } = given.response;
  if (userHandle !== undefined && userHandle !== userHandleOf(kept.ownerId))
    return { refused: 'it is of somebody else' };
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: given.id,
        rawId: given.rawId,
        type: given.type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: kept.credentialId.toString('base64url'),
        publicKey: new Uint8Array(kept.publicKey),
        counter: kept.signCount,
      },
    });
    if (!verified) return { refused: 'its signature is wrong' };
    if (embedded(given.response.clientDataJSON)) return { refused: 'it was made in a frame of another site' };
    return { signCount: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
  } catch (error) {
    return { refused: reasonOf(error) };
  }
}

/** No other site may show our pages in a frame; the library refuses only if the browser names that site. */
function embedded(clientDataJson: string): boolean {
  const { crossOrigin } = JSON.parse(bytesOf(clientDataJson).toString('utf8')) as { crossOrigin?: unknown };
  return crossOrigin === true;
}

function bytesOf(base64url: string) {
  return Buffer.from(base64url, 'base64url');
}

const REASON_MAX_CHARS = 300;

/** Whatever a parser makes of hostile bytes is a refusal, and never a fault. */
function reasonOf(error: unknown): string {
  return String(error instanceof Error ? error.message : error).slice(0, REASON_MAX_CHARS);
}
