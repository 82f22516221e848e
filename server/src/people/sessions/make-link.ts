import type { Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { insertLink, revokeLinks } from './links-store.ts';
import { LINK_LIFETIME_MS, type LinkKind, linkUrl } from './one-time-link.ts';
import { LINK_PAGES, type PortalSessions } from './portal-sessions.ts';
import { newToken } from './tokens.ts';

export interface MadeLink {
  readonly linkId: string;
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Makes a link and revokes earlier ones of the same kind. A link for a new password, which anybody can
 * request, revokes none.
 */
export async function makeLink(
  tx: Tx,
  { clock, publicUrl }: Pick<PortalSessions, 'clock' | 'publicUrl'>,
  link: { userId: string; kind: LinkKind; tenantId: string | null; mailed: boolean },
): Promise<MadeLink> {
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + LINK_LIFETIME_MS[link.kind]);
  const linkId = newId(createdAt.getTime());
  const { token, sha256: tokenSha256 } = newToken();
  const replaced = link.kind === 'password_reset' ? null : link.kind;
  await revokeLinks(tx, link.userId, replaced, link.tenantId, createdAt);
  await insertLink(tx, { ...link, linkId, tokenSha256, createdAt, expiresAt });
  return { linkId, url: linkUrl(publicUrl(), LINK_PAGES[link.kind], token), expiresAt };
}
