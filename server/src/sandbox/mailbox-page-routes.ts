import type { FastifyReply, FastifyRequest } from 'fastify';
import PostalMime, { type Attachment } from 'postal-mime';
import { Type } from 'typebox';
import { ApiError, apiError } from '../errors.ts';
import { readBuilt } from '../platform/built-file.ts';
import type { Clock } from '../platform/clock.ts';
import type { DbAndClock } from '../platform/database/db.ts';
import { type Doors, SANDBOX_DOOR } from '../platform/http/door.ts';
import type { App } from '../platform/http/http.ts';
import { SealedSecretError, type SecretBox } from '../platform/secrets.ts';
import { DELETE, mailOf, onlySandboxAccount, READ } from './mailbox-access.ts';
import { DELETE_MAIL, GET_ATTACHMENT, PREVIEW_MAIL } from './mailbox-schema.ts';
import { deleteOneMail } from './store.ts';

/** No SVG, which may hold scripts and references. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|bmp)$/;

/** The mailbox page. It holds no mail; its script uses the sandbox's key. */
interface MailboxPageDeps extends DbAndClock {
  /** For frame tickets: a frame cannot send a key. */
  readonly secrets: SecretBox;
}

/** Only its own files and frames. */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
/** Strangers' HTML: no script, request or form. */
const FRAME_POLICY =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'";
const TICKET_MS = 60_000;
const TICKET_MAX_CHARS = 512;
const TICKET_CONTEXT = 'sandbox-mailbox-preview';

const HIDDEN = { hide: true } as const;

/** Serves the page to browsers at the programs' address, after a refusal only. */
export function pageInstead(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { authorization, accept = '' } = request.headers;
  const wanted =
    authorization === undefined &&
    accept.includes('text/html') &&
    request.url.startsWith(`${SANDBOX_DOOR.prefix}/`);
  if (!wanted || !(error instanceof ApiError) || error.code !== 'unauthorized') throw error;
  return sendPage(reply.code(200), 'text/html; charset=utf-8', 'mailbox-page.html');
}

export function mailboxPageRoutes(app: App, { db, clock, secrets }: MailboxPageDeps): void {
  app.get('/sandbox/mailbox/page.js', { schema: HIDDEN }, async (_request, reply) =>
    sendPage(reply, 'text/javascript; charset=utf-8', 'mailbox-page.js'),
  );
  app.get('/sandbox/mailbox/page.css', { schema: HIDDEN }, async (_request, reply) =>
    sendPage(reply, 'text/css; charset=utf-8', 'mailbox-page.css'),
  );

  app.get(
    '/sandbox/mailbox/preview/:ticket',
    { schema: { ...HIDDEN, params: Type.Object({ ticket: Type.String({ maxLength: TICKET_MAX_CHARS }) }) } },
    async (request, reply) => {
      const mail = await mailOf(db, readTicket(request.params.ticket, secrets, clock));
      return reply
        .header('Content-Security-Policy', FRAME_POLICY)
        .header('X-Content-Type-Options', 'nosniff')
        .header('Referrer-Policy', 'no-referrer')
        .header('Cache-Control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(await previewOf(mail.raw));
    },
  );
}

export function mailboxPartRoutes(doors: Doors, { db, clock, secrets }: MailboxPageDeps): void {
  doors.delete('/mailbox/:id', { config: DELETE, schema: DELETE_MAIL }, async (request, reply) => {
    await onlySandboxAccount(db, request);
    const { mail_id } = await mailOf(db, request.params.id);
    await deleteOneMail(db, mail_id);
    return reply.code(204).send(null);
  });

  doors.get(
    '/mailbox/:id/attachments/:index',
    {
      config: READ,
      schema: GET_ATTACHMENT,
    },
    async (request, reply) => {
      await onlySandboxAccount(db, request);
      const mail = await mailOf(db, request.params.id);
      const content = await attachmentOf(mail.raw, Number(request.params.index));
      if (content === null) throw apiError('not_found');
      // Always saved, never shown.
      return reply
        .type('application/octet-stream')
        .header('Content-Disposition', 'attachment')
        .header('X-Content-Type-Options', 'nosniff')
        .send(content as never);
    },
  );

  doors.post(
    '/mailbox/:id/preview',
    {
      config: READ,
      schema: PREVIEW_MAIL,
    },
    async (request) => {
      await onlySandboxAccount(db, request);
      const { mail_id } = await mailOf(db, request.params.id);
      const until = clock.now().getTime() + TICKET_MS;
      const ticket = secrets.seal(Buffer.from(`${until} ${mail_id}`), TICKET_CONTEXT).toString('base64url');
      return { url: `/sandbox/mailbox/preview/${ticket}` };
    },
  );
}

/** Throws not_found for an invalid or expired ticket. */
function readTicket(ticket: string, secrets: SecretBox, clock: Clock): string {
  try {
    const text = secrets.open(Buffer.from(ticket, 'base64url'), TICKET_CONTEXT).toString();
    const [until, id] = text.split(' ');
    if (Number(until) >= clock.now().getTime()) return id!;
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error;
  }
  throw apiError('not_found');
}

function sendPage(reply: FastifyReply, type: string, file: string): FastifyReply {
  return reply
    .header('Content-Security-Policy', POLICY)
    .header('Cache-Control', 'no-cache')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Referrer-Policy', 'no-referrer')
    .header('Vary', 'Accept, Authorization')
    .type(type)
    .send(readBuilt(file));
}

/** `cid:` images are inlined. '' without HTML. */
async function previewOf(raw: Uint8Array): Promise<string> {
  const { html, attachments } = await PostalMime.parse(raw);
  if (html === undefined) return '';
  const images = new Map(
    attachments
      .filter(({ contentId, mimeType }) => contentId !== undefined && IMAGE.test(mimeType))
      .map((attachment) => [attachment.contentId!.replace(/^<|>$/g, ''), attachment]),
  );
  return html.replace(/\bcid:([^"'\s<>()]+)/gi, (reference, id: string) => {
    const image = images.get(id);
    return image === undefined
      ? reference
      : `data:${image.mimeType};base64,${bytesOf(image).toString('base64')}`;
  });
}

async function attachmentOf(raw: Uint8Array, index: number): Promise<Buffer | null> {
  const { attachments } = await PostalMime.parse(raw);
  const found = attachments[index];
  return found === undefined ? null : bytesOf(found);
}

function bytesOf({ content }: Attachment): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
}
