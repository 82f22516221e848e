import PostalMime, { type Address, type Email, type Header } from 'postal-mime';
import type { Db } from '../platform/database/db.ts';
import type { Doors } from '../platform/http/door.ts';
import { parsePage, toPage } from '../platform/http/page.ts';
import { DELETE, mailOf, onlySandboxAccount, READ } from './mailbox-access.ts';
import { pageInstead } from './mailbox-page-routes.ts';
import { EMPTY_MAILBOX, GET_MAIL, GET_RAW_MAIL, LIST_MAIL } from './mailbox-schema.ts';
import { readableAddress } from './readable-address.ts';
import { deleteMail, listMail, type SandboxMailRow } from './store.ts';

/**
 * Sandbox only, for keys and people of its account. It may hold secrets, and loopback proves nothing behind a
 * proxy.
 */
interface SandboxMailboxRouteDeps {
  readonly db: Db;
}

/** Read per message in lists (bytes). */
const LIST_HEAD_BYTES = 16_384;

/** `doors`: the sandbox's, and the portal's. */
export function sandboxMailboxRoutes(doors: Doors, { db }: SandboxMailboxRouteDeps): void {
  doors.get(
    '/mailbox',
    {
      // Polling does not keep a session alive.
      config: { ...READ, passive: true },
      errorHandler: pageInstead,
      schema: LIST_MAIL,
    },
    async (request) => {
      await onlySandboxAccount(db, request);
      const page = parsePage(request);
      const rows = await listMail(db, {
        to: request.query.to === undefined ? null : readableAddress(request.query.to.toLowerCase()),
        after: page.afterId,
        limit: page.fetch,
        headBytes: LIST_HEAD_BYTES,
      });
      const summaries = new Map(
        await Promise.all(rows.map(async (row) => [row, await summaryOf(row)] as const)),
      );
      return toPage(
        rows,
        page,
        (row) => row.mail_id,
        (row) => summaries.get(row)!,
      );
    },
  );

  doors.get(
    '/mailbox/:id',
    {
      config: READ,
      errorHandler: pageInstead,
      schema: GET_MAIL,
    },
    async (request) => {
      await onlySandboxAccount(db, request);
      return detailOf(await mailOf(db, request.params.id));
    },
  );

  doors.get('/mailbox/:id/raw', { config: READ, schema: GET_RAW_MAIL }, async (request, reply) => {
    await onlySandboxAccount(db, request);
    const mail = await mailOf(db, request.params.id);
    return reply
      .type('message/rfc822')
      .header('Content-Disposition', `attachment; filename="${mail.mail_id}.eml"`)
      .header('X-Content-Type-Options', 'nosniff')
      .send(mail.raw as never);
  });

  doors.delete('/mailbox', { config: DELETE, schema: EMPTY_MAILBOX }, async (request, reply) => {
    await onlySandboxAccount(db, request);
    await deleteMail(db);
    return reply.code(204).send(null);
  });
}

async function summaryOf(row: SandboxMailRow) {
  // Cut after the header: half a part must not be parsed.
  const end = row.raw.indexOf('\r\n\r\n');
  return present(row, await PostalMime.parse(end === -1 ? row.raw : row.raw.subarray(0, end + 4)));
}

async function detailOf(row: SandboxMailRow) {
  const email = await PostalMime.parse(row.raw);
  return {
    ...present(row, email),
    headers: email.headers.map(({ originalKey, key, value }) => ({ name: originalKey ?? key, value })),
    text: email.text ?? null,
    html: email.html ?? null,
    attachments: email.attachments.map((attachment) => ({
      filename: attachment.filename,
      content_type: attachment.mimeType,
      size_bytes:
        typeof attachment.content === 'string' ? attachment.content.length : attachment.content.byteLength,
    })),
  };
}

function present(row: SandboxMailRow, email: Email) {
  const header = (name: string) => email.headers.find(({ key }: Header) => key === name)?.value ?? null;
  return {
    id: row.mail_id,
    mail_from: row.reverse_path,
    rcpt_to: readableAddress(row.forward_path),
    message_id: /(?:^|;)\s*id=([0-9a-f-]{36})\s*(?:;|$)/.exec(header('service-evidence') ?? '')?.[1] ?? null,
    from: email.from === undefined ? header('from') : addressText(email.from),
    to: email.to === undefined ? header('to') : email.to.map(addressText).join(', '),
    subject: email.subject ?? null,
    size_bytes: row.size_bytes,
    client_name: row.client_name,
    tls: row.tls,
    received_at: row.received_at.toISOString(),
  };
}

/** Decoded name (RFC 2047 §5), Unicode domain (IDNA). */
function addressText({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(addressText).join(', ')};`;
  return name === '' ? readableAddress(address) : `${name} <${readableAddress(address)}>`;
}
