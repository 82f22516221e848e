import type { BounceReason, BounceType } from '@acuse/mail/reply/reasons';

const BOUNCE_SOURCES = ['reply', 'report', 'acuse'] as const;

export interface Bounce {
  readonly type: BounceType;
  readonly reason: BounceReason | null;
  readonly source: (typeof BOUNCE_SOURCES)[number];
}

/** Why a message waits for another attempt. */
export interface Deferral {
  readonly reason: BounceReason | null;
  readonly source: 'reply' | 'acuse';
}

export function deferralOf(
  status: string,
  reason: BounceReason | null,
  reply: { readonly code: number | null } | null,
): Deferral | null {
  if (status !== 'deferred') return null;
  return { reason, source: (reply?.code ?? null) === null ? 'acuse' : 'reply' };
}

export function bounceOf(
  type: BounceType | null,
  reason: BounceReason | null,
  byMail: boolean,
  reply: { readonly code: number | null } | null,
): Bounce | null {
  if (type === null) return null;
  const source = byMail ? 'report' : (reply?.code ?? null) === null || type === 'expired' ? 'acuse' : 'reply';
  return { type, reason, source };
}
