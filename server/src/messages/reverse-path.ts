import { makeReturnPath } from '@acuse/mail/verp';

/**
 * How long bounces of a message are believed after it was accepted, or may have been sent at last.
 */
export const REVERSE_PATH_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/** The MAIL FROM of a message, made once at acceptance and stored with it. */
export type ReversePathOf = (messageId: string, host: string | null, sentBy: Date) => string;

/**
 * `secret`: signs the tokens; `ownHost`: takes the bounces of domains that have no bounce host of their own.
 */
export function createReversePath(secret: Uint8Array, ownHost: string): ReversePathOf {
  return (messageId, host, sentBy) =>
    makeReturnPath({
      messageId,
      expiresAt: new Date(sentBy.getTime() + REVERSE_PATH_LIFETIME_MS),
      secret,
      domain: host ?? ownHost,
    });
}
