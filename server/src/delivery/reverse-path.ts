import { makeReturnPath, type ReturnPathReading, readReturnPath } from '@acuse/mail/verp';

/** The MAIL FROM of messages (VERP): made once, at acceptance, and read back from whoever reports about one. */
export interface ReversePaths {
  /** `host`: the sender domain's own bounce host, or null for this installation's. The same input makes the same address. */
  of(messageId: string, host: string | null, acceptedAt: Date): string;
  read(address: string, now: Date): ReturnPathReading;
}

/** How long after acceptance a message may be reported about: two days of delivery, and time to bounce or complain. */
export const RETURN_PATH_LIFETIME_MS = 30 * 86_400_000;
/** Name of the secret among the installation's. */
export const RETURN_PATH_SECRET = 'return_path';
export const RETURN_PATH_SECRET_BYTES = 32;

/** `secrets`: the current one first; all of them read. `host`: where this installation takes bounces. */
export function createReversePaths({
  secrets,
  host,
}: {
  secrets: readonly [Uint8Array, ...Uint8Array[]];
  host: string;
}): ReversePaths {
  return {
    of: (messageId, ownHost, acceptedAt) =>
      makeReturnPath({
        messageId,
        expiresAt: new Date(acceptedAt.getTime() + RETURN_PATH_LIFETIME_MS),
        secret: secrets[0],
        domain: ownHost ?? host,
      }),
    read: (address, now) => readReturnPath(address, secrets, now),
  };
}
