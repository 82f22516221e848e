import type { ActLanguage } from '@acuse/evidence/acknowledgement-facts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AskedRow } from '../../messages/acknowledgement-store.ts';
import { type ContentDeps, readParts } from '../../messages/parts.ts';
import type { ReplyAddressOf } from '../../messages/reverse-path.ts';
import { localeOf } from '../../people/sessions/mail-words.ts';
import { createTokenLookUps } from '../../people/sessions/token-look-ups.ts';
import type { App } from '../../platform/http/http.ts';
import { createRateLimit } from '../../platform/http/rate-limit.ts';
import { networkOf } from '../../platform/network/network.ts';
import { type AnswerDeps, CODE_LIFE_MS, giveAnswer, isOpen, openLink, sendCode } from './answer.ts';
import { CODE_MAX_CHARS, noticePage, pageOf, type ShownAttachment, type Typed } from './page.ts';
import { POLICY } from './style.ts';
import type { Fault } from './words.ts';

interface AcknowledgeDeps extends AnswerDeps, Omit<ContentDeps, 'archived'> {
  publicUrl(): string;
  readonly replyAddressOf: ReplyAddressOf;
}

const TOKEN_MAX_CHARS = 64;
const FORM = 'application/x-www-form-urlencoded';
/** No form of this page is longer. */
const FORM_MAX_BYTES = 16 * 1024;
/** Per link: a person needs some. */
const VIEWS_PER_SECOND = 0.5;
const VIEWS_BURST = 40;
/** Per network: a company may have all its people behind one address. */
const NETWORK_PER_SECOND = 5;
const NETWORK_BURST = 300;
/** Larger messages are shown without their attachments: anybody with the link may ask. */
const READ_MAX_BYTES = 4 * 1024 * 1024;
/** So are those in an archive: some 8 MiB would come out of a bucket for each. */
const NOT_ARCHIVED = { read: async () => null };

const PARAMS = Type.Object({ token: Type.String({ maxLength: TOKEN_MAX_CHARS }) });
const QUERY = Type.Object({ lang: Type.Optional(Type.String({ maxLength: 8 })) });
const HIDDEN = { hide: true, params: PARAMS, querystring: QUERY } as const;
const NOTHING_TYPED: Typed = { code: '', name: '', reason: '', isTicked: false };

const STATUS: { readonly [F in Fault]?: number } = { code_many: 429, code_soon: 429, unrecorded: 503 };

type Asking = FastifyRequest<{ Params: { token: string }; Querystring: { lang?: string } }>;

/** Pages for recipients, who have no account: docs/guides/acknowledgement.md. GET changes nothing. */
export function acknowledgeRoutes(app: App, deps: AcknowledgeDeps): void {
  const { clock } = deps;
  const views = createRateLimit({ clock, perSecond: VIEWS_PER_SECOND, burst: VIEWS_BURST });
  const networks = createRateLimit({ clock, perSecond: NETWORK_PER_SECOND, burst: NETWORK_BURST });
  const lookUps = createTokenLookUps(clock);
  // A form is read as bytes: it is nobody's JSON.
  const config = { rawBody: true, mediaTypes: [FORM] };

  app.get('/a/:token', { schema: HIDDEN }, async (request, reply) => {
    const asked = await opened(request, reply);
    return asked === null ? reply : show(request, reply, asked, null);
  });

  app.post(
    '/a/:token/code',
    { config, bodyLimit: FORM_MAX_BYTES, schema: HIDDEN },
    async (request, reply) => {
      const asked = await opened(request, reply);
      if (asked === null) return reply;
      if (!isOpen(asked, clock.now())) return back(request, reply, asked);
      const { token } = request.params;
      const of = { token, language: languageOf(request, asked), address: request.ip };
      const fault = await sendCode(deps, asked, of);
      return fault === null ? back(request, reply, asked) : show(request, reply, asked, fault);
    },
  );

  app.post('/a/:token', { config, bodyLimit: FORM_MAX_BYTES, schema: HIDDEN }, async (request, reply) => {
    const asked = await opened(request, reply);
    if (asked === null) return reply;
    if (!isOpen(asked, clock.now())) return back(request, reply, asked);
    const form = new URLSearchParams(
      Buffer.from((request.body as Uint8Array | undefined) ?? []).toString('utf8'),
    );
    const field = (name: string) => form.get(name) ?? '';
    const kind = field('act') === 'refused' ? 'refused' : 'acknowledged';
    const code = field('code');
    const typed = { name: field('name'), reason: field('reason'), isTicked: field('tick') === 'yes' };
    const fault = await giveAnswer(deps, asked, {
      ...{ kind, ...typed, token: request.params.token, code },
      ...{ language: languageOf(request, asked), address: request.ip },
    });
    if (fault === null) return back(request, reply, asked);
    const isNone = fault === 'code_wrong' || fault === 'code_over';
    return show(request, reply, asked, fault, {
      ...typed,
      code: isNone ? '' : code.slice(0, CODE_MAX_CHARS),
    });
  });

  /** Null: it is answered. */
  async function opened(request: Asking, reply: FastifyReply): Promise<AskedRow | null> {
    const { token } = request.params;
    const language = localeOf(request.headers['accept-language']) ?? 'es';
    const shown = { language: askedFor(request) ?? language, path: pathOf(token) };
    const all = [networks.take(networkOf(request.ip)), views.take(token.toLowerCase())];
    if (all.some(({ ok }) => !ok)) {
      const seconds = Math.max(...all.map(({ retryAfterSeconds }) => retryAfterSeconds));
      send(reply.code(429).header('Retry-After', String(seconds)), noticePage(shown, 'busy'));
      return null;
    }
    const asked = await lookUps(request.ip, token.toLowerCase(), () => openLink(deps, token));
    if (asked === null) send(reply.code(404), noticePage(shown, 'unknown'));
    return asked;
  }

  async function show(
    request: Asking,
    reply: FastifyReply,
    given: AskedRow,
    fault: Fault | null,
    typed = NOTHING_TYPED,
  ): Promise<FastifyReply> {
    const { token } = request.params;
    // As it is after what was just done.
    const asked = fault === null ? given : ((await openLink(deps, token)) ?? given);
    const now = clock.now();
    const hasCode = asked.codeSentAt !== null && now.getTime() - asked.codeSentAt.getTime() < CODE_LIFE_MS;
    const html = pageOf({
      ...{ language: languageOf(request, asked), path: pathOf(token), asked, fault, typed, hasCode },
      isOver: !isOpen(asked, now),
      mailAddress: deps.replyAddressOf(asked.messageId, null),
      attachments: await attachmentsOf(deps, asked),
    });
    return send(reply.code(fault === null ? 200 : (STATUS[fault] ?? 422)), html);
  }

  /** The page again by GET: to load it anew repeats nothing. */
  function back(request: Asking, reply: FastifyReply, asked: AskedRow): FastifyReply {
    return reply.redirect(`${pathOf(request.params.token)}?lang=${languageOf(request, asked)}`, 303);
  }

  function send(reply: FastifyReply, html: string): FastifyReply {
    const isSecure = deps.publicUrl().startsWith('https:');
    return reply
      .header('Content-Security-Policy', POLICY)
      .header('Cache-Control', 'no-store')
      .header('Referrer-Policy', 'no-referrer')
      .header('X-Content-Type-Options', 'nosniff')
      .header('X-Robots-Tag', 'noindex')
      .headers(isSecure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {})
      .type('text/html; charset=utf-8')
      .send(html);
  }
}

function pathOf(token: string): string {
  return `/a/${encodeURIComponent(token)}`;
}

function askedFor({ query: { lang } }: Asking): ActLanguage | null {
  return lang === 'es' || lang === 'en' ? lang : null;
}

/** The language that the visitor chose, the sender said, or the browser names. */
function languageOf(request: Asking, { language }: AskedRow): ActLanguage {
  return askedFor(request) ?? language ?? localeOf(request.headers['accept-language']) ?? 'es';
}

async function attachmentsOf(
  deps: Omit<ContentDeps, 'archived'>,
  asked: AskedRow,
): Promise<readonly ShownAttachment[] | null> {
  const { tenantId, messageId, sizeBytes, isErased } = asked;
  if (isErased || sizeBytes > READ_MAX_BYTES) return null;
  try {
    const { parts } = await readParts({ ...deps, archived: NOT_ARCHIVED }, tenantId, messageId);
    return parts
      .filter(({ disposition, filename }) => disposition === 'attachment' || filename !== null)
      .map(({ filename, mediaType, sizeBytes: size }) => ({ name: filename ?? mediaType, sizeBytes: size }));
  } catch {
    // Deleted since, or not to be read: the rest of the page stands.
    return null;
  }
}
