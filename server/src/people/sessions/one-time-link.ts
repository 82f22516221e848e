import { withoutSlashesBehind } from '../../platform/slashes.ts';

/**
 * A link that works once. Its secret is in the fragment, which no server and no proxy ever sees, and is spent
 * by a POST that a button makes: mail scanners follow every link with GET.
 */
const LINK_KINDS = ['sign_in', 'invitation', 'password_reset'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** How long a link of each kind works (ms). */
export const LINK_LIFETIME_MS: Readonly<Record<LinkKind, number>> = {
  sign_in: 24 * 60 * 60 * 1000,
  invitation: 7 * 24 * 60 * 60 * 1000,
  password_reset: 30 * 60 * 1000,
};

/** `page`: `/portal/link`. Gives `https://mail.example.com/portal/link#<token>`. */
export function linkUrl(publicUrl: string, page: string, token: string): string {
  return `${withoutSlashesBehind(publicUrl)}${page}#${token}`;
}
