import type { BounceReason, BounceType } from '@acuse/mail/reply/reasons';

const BOUNCE_SOURCES = ['reply', 'report', 'acuse'] as const;

export interface Bounce {
  readonly type: BounceType;
  /** Null: before reasons were kept. */
  readonly reason: BounceReason | null;
  readonly source: (typeof BOUNCE_SOURCES)[number];
}

/** Null: not bounced. */
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
