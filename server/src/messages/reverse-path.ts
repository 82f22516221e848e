import { makeReplyAddress } from '@acuse/mail/reply-address';
import { makeReturnPath } from '@acuse/mail/verp';

/** How long bounces are accepted after the last possible first attempt (ms). */
const REVERSE_PATH_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

export type ReversePathOf = (messageId: string, host: string | null, sentBy: Date) => string;

/** `ownHost`: for domains without their own bounce host. */
export function createReversePath(secret: Uint8Array, ownHost: string): ReversePathOf {
  return (messageId, host, sentBy) =>
    makeReturnPath({
      messageId,
      expiresAt: new Date(sentBy.getTime() + REVERSE_PATH_LIFETIME_MS),
      secret,
      domain: host ?? ownHost,
    });
}

export type ReplyAddressOf = (messageId: string, host: string | null) => string;

/** Where the recipient may acknowledge by mail, on the host that takes the bounces. */
export function createReplyAddress(secret: Uint8Array, ownHost: string): ReplyAddressOf {
  return (messageId, host) => makeReplyAddress({ messageId, secret, domain: host ?? ownHost });
}
