import PostalMime from 'postal-mime';
import type { TestService } from '../../support/service.ts';

/** The newest mail to somebody that Acuse itself accepted for sending; null when there is none. */
export async function readMessage(
  { db }: TestService,
  email: string,
): Promise<{ subject: string; text: string } | null> {
  const rows = await db.query<{ raw: Buffer }>(
    `select c.raw from messages m join message_contents c using (tenant_id, message_id)
     join tenants t using (tenant_id)
     where t.internal and m.recipient_address = $1 order by m.message_id desc limit 1`,
    [email],
  );
  if (rows[0] === undefined) return null;
  const { subject = '', text = '' } = await PostalMime.parse(rows[0].raw);
  return { subject, text };
}

/** Mails to somebody that Acuse itself accepted for sending. */
export async function countMessages({ db }: TestService, email: string): Promise<number> {
  const rows = await db.query<{ count: number }>(
    `select count(*)::int as count from messages m join tenants t using (tenant_id)
     where t.internal and m.recipient_address = $1`,
    [email],
  );
  return rows[0]!.count;
}
