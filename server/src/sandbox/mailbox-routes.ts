import PostalMime, { type Address, type Email, type Header } from 'postal-mime';
import { Type } from 'typebox';
import type { Db } from '../platform/database/db.ts';
import type { Doors } from '../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../platform/http/page.ts';
import { DELETE, mailOf, onlySandboxAccount, READ } from './mailbox-access.ts';
import { pageInstead } from './mailbox-page-routes.ts';
import { readableAddress } from './readable-address.ts';
import { deleteMail, listMail, type SandboxMailRow } from './store.ts';

/**
 * The test mailbox over HTTP: in sandbox mode only, for a key or a person of the sandbox account. It holds
 * secrets (a reset link is one), and the origin of a request proves nothing: with a reverse proxy every
 * request comes from this machine.
 */
export interface SandboxMailboxRouteDeps {
  readonly db: Db;
}

/** Bytes of each message read for a list: a header section of ordinary size. */
const LIST_HEAD_BYTES = 16_384;

const MailSummary = {
  id: Type.String({ format: 'uuid' }),
  mail_from: Type.String({ description: 'Envelope sender (RFC 5321 reverse-path).' }),
  rcpt_to: Type.String({
    description: 'Envelope recipient (RFC 5321 forward-path), lower case, its domain as people write it.',
  }),
  message_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
    description: "The message's id here, read from its Service-Evidence header.",
  }),
  from: Type.Union([Type.String(), Type.Null()]),
  to: Type.Union([Type.String(), Type.Null()]),
  subject: Type.Union([Type.String(), Type.Null()]),
  size_bytes: Type.Integer(),
  client_name: Type.String({ description: 'What the client called itself in EHLO.' }),
  tls: Type.Union([Type.Object({ version: Type.String(), cipher: Type.String() }), Type.Null()]),
  received_at: Type.String({ format: 'date-time' }),
};

const MailDetail = Type.Object({
  ...MailSummary,
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  text: Type.Union([Type.String(), Type.Null()]),
  html: Type.Union([Type.String(), Type.Null()]),
  attachments: Type.Array(
    Type.Object({
      filename: Type.Union([Type.String(), Type.Null()]),
      content_type: Type.String(),
      size_bytes: Type.Integer(),
    }),
  ),
});

const IdParams = Type.Object({ id: Type.String() });
const HIDDEN = { hide: true } as const;

/** `doors`: the sandbox's, and the portal's for people who may read its account. */
export function sandboxMailboxRoutes(doors: Doors, { db }: SandboxMailboxRouteDeps): void {
  doors.get(
    '/mailbox',
    {
      // A page that stays open asks every few seconds, which keeps no session alive.
      config: { ...READ, passive: true },
      errorHandler: pageInstead,
      schema: {
        ...HIDDEN,
        querystring: Type.Object(
          { ...PAGE_QUERY, to: Type.Optional(Type.String({ maxLength: 320 })) },
          { additionalProperties: false },
        ),
        response: { 200: pageSchema(Type.Object(MailSummary)) },
      },
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
      schema: { ...HIDDEN, params: IdParams, response: { 200: MailDetail } },
    },
    async (request) => {
      await onlySandboxAccount(db, request);
      return detailOf(await mailOf(db, request.params.id));
    },
  );

  doors.get(
    '/mailbox/:id/raw',
    { config: READ, schema: { ...HIDDEN, params: IdParams } },
    async (request, reply) => {
      await onlySandboxAccount(db, request);
      const mail = await mailOf(db, request.params.id);
      return reply
        .type('message/rfc822')
        .header('Content-Disposition', `attachment; filename="${mail.mail_id}.eml"`)
        .header('X-Content-Type-Options', 'nosniff')
        .send(mail.raw);
    },
  );

  doors.delete('/mailbox', { config: DELETE, schema: HIDDEN }, async (request, reply) => {
    await onlySandboxAccount(db, request);
    await deleteMail(db);
    return reply.code(204).send();
  });
}

async function summaryOf(row: SandboxMailRow) {
  // A list reads only the beginning: cut after the header, so that half a part is not parsed as a whole one.
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

/** As a mail program shows it: the name decoded (RFC 2047 §5), the domain in Unicode (IDNA). */
function addressText({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(addressText).join(', ')};`;
  return name === '' ? readableAddress(address) : `${name} <${readableAddress(address)}>`;
}
