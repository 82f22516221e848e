import type { BounceReason, BounceType } from '@acuse/mail/reply/reasons';

/** How and why a message bounced, as messages, attempts and events show it. */

/** `reply`: a server said so; `report`: mail that came later; `acuse`: it was given up or not tried. */
export const BOUNCE_SOURCES = ['reply', 'report', 'acuse'] as const;

export interface Bounce {
  readonly type: BounceType;
  /** Null: it bounced before reasons were kept. */
  readonly reason: BounceReason | null;
  readonly source: (typeof BOUNCE_SOURCES)[number];
}

/** Null: it did not bounce. */
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
