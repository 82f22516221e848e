import type { NewPasskeyOptions, PasskeyProofOptions } from '../api/admin-types.ts';
import type { ApiClient } from '../api/client.ts';

/** Passkeys as the browser makes and shows them; loaded when somebody uses one. */

export interface Answered {
  readonly attempt: string;
  /** As the browser writes it: RegistrationResponseJSON or AuthenticationResponseJSON. */
  readonly credential: unknown;
}

/** The reader closed the browser's question, or has nothing that fits it. */
export class NoPasskey extends Error {
  override readonly name = 'NoPasskey';
}

/** This device has one already. */
export class HasPasskey extends Error {
  override readonly name = 'HasPasskey';
}

/** Where options come from: for somebody who is not known yet, or for the one in this session. */
export type ProofPath = '/session/passkey-options' | '/session/own-passkey-options';

/** Throws NoPasskey, ApiError. */
export async function showPasskey(api: ApiClient, path: ProofPath): Promise<Answered> {
  const { attempt, options } = await api.call<PasskeyProofOptions>('POST', path, { unchallenged: true });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await asked(() => navigator.credentials.get({ publicKey }));
  return { attempt, credential };
}

/** `path`: of the person's passkeys. Throws NoPasskey, HasPasskey, ApiError. */
export async function makePasskey(api: ApiClient, path: string): Promise<Answered> {
  const { attempt, options } = await api.call<NewPasskeyOptions>('POST', `${path}/options`);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await asked(() => navigator.credentials.create({ publicKey }));
  return { attempt, credential };
}

async function asked(ask: () => Promise<Credential | null>): Promise<unknown> {
  const credential = await ask().catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'InvalidStateError') throw new HasPasskey();
    // Closed, timed out, or nothing that fits: browsers do not say which.
    if (cause instanceof DOMException) throw new NoPasskey();
    throw cause;
  });
  if (credential === null) throw new NoPasskey();
  return (credential as PublicKeyCredential).toJSON();
}
