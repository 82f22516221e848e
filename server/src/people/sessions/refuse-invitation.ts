import { type AuditSource, appendAccountEvent } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import type { Client } from './client.ts';
import { emailKeyOf } from './email.ts';
import { recipientSha256 } from './invitation-limits.ts';
import { revokeLinks, takeInvitationLink } from './links-store.ts';
import { deleteInvitation } from './members-store.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { insertRefusal } from './refusals-store.ts';
import { tokenSha256 } from './tokens.ts';

/**
 * Ends an invitation, and all later ones of that account to the address. Whoever has the link may: it needs
 * no session and opens none. Throws invalid_link.
 */
export function refuseInvitation(sessions: PortalSessions, secret: string, client: Client): Promise<void> {
  const at = sessions.clock.now();
  return sessions.db.asSessions(async (tx) => {
    const sha256 = tokenSha256(secret);
    const link = sha256 === null ? null : await takeInvitationLink(tx, sha256);
    const email = link === null ? null : await deleteInvitation(tx, link.tenantId, link.userId);
    if (link === null || email === null) throw apiError('invalid_link');
    const { tenantId, userId } = link;
    await revokeLinks(tx, userId, 'invitation', tenantId, at);
    await insertRefusal(tx, tenantId, recipientSha256(emailKeyOf(email)), at);
    // Without an id: the account does not learn who has this address.
    const source: AuditSource = {
      kind: 'user',
      id: null,
      name: email,
      clientAddress: null,
      requestId: client.requestId,
    };
    await appendAccountEvent(tx, tenantId, source, { action: 'refuse_invitation', target: email }, at);
  });
}
