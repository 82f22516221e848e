import { MAX_CASE_BUNDLES } from '@acuse/evidence/case-file';
import { Type } from 'typebox';
import { errorAnswers, Id, line, named, Timestamp } from '../../../platform/http/api-schema.ts';
import { whenGone } from '../../../platform/http/connections.ts';
import type { Doors } from '../../../platform/http/door.ts';
import { type CaseDeps, readCase, shareCase } from './cases.ts';
import { NOTE_MAX_CHARS, readExpiry } from './routes.ts';

const CASE_NAME_MAX_CHARS = 200;
/** Longest form of an id. */
const ID_MAX_CHARS = 64;

const chosen = {
  name: line(CASE_NAME_MAX_CHARS, {
    description: 'Its name, on the cover; whoever opens the file reads it.',
    examples: ['Contract 77, unpaid'],
  }),
  message_ids: Type.Array(Type.String({ maxLength: ID_MAX_CHARS }), {
    minItems: 1,
    maxItems: MAX_CASE_BUNDLES,
    description: 'Sealed messages of the account, in any order: they are put in order of time.',
    examples: [['01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11']],
  }),
};

const CASE_ERRORS = ['not_found', 'conflict', 'missing_proof_data'] as const;

export function caseRoutes(doors: Doors, deps: CaseDeps & { publicUrl(): string }): void {
  doors.post(
    '/case-files',
    {
      config: { scopes: ['evidence:read'], costly: true },
      schema: {
        operationId: 'makeCaseFile',
        retry: 'repeatable',
        summary: 'Make a case file',
        description:
          'The whole proof bundles of several messages as one ZIP, in order of time, with `index.pdf` to print and `SHA256SUMS`. Each bundle is verified by itself. At most 100 messages, with 96 MiB of mails and requests together.',
        body: named('NewCaseFile', chosen),
        response: {
          200: {
            description: 'The case file.',
            content: {
              'application/zip': { schema: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }) },
            },
          },
          ...errorAnswers(...CASE_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { name, message_ids: messageIds } = request.body;
      const { tenantId, actor } = request.principal;
      const by = { holder: `${actor.kind} ${actor.id}`, gone: whenGone(request) };
      const bytes = await readCase(deps, tenantId, { name, messageIds }, by);
      return reply
        .type('application/zip')
        .header('Cache-Control', 'private, no-store')
        .header('Content-Disposition', 'attachment; filename="acuse-case.zip"')
        .send(bytes);
    },
  );

  doors.post(
    '/case-files/shares',
    {
      config: { scopes: ['messages:send'] },
      schema: {
        operationId: 'shareCaseFile',
        summary: 'Share a case file',
        description:
          'Makes one link by which somebody without an account gets a case file. It is a share of each of its messages: it is listed at each, each opening is in the access log of each, and revoking one of these shares revokes the link.',
        body: named('NewCaseShare', {
          ...chosen,
          expires_at: Type.String({
            maxLength: ID_MAX_CHARS,
            description: 'RFC 3339; at most 366 days ahead.',
            examples: ['2026-12-20T09:30:00Z'],
          }),
          disclose: named(
            'CaseDisclosure',
            {
              message: Type.Boolean({ description: 'The whole messages. The requests stay closed.' }),
              delivery: Type.Boolean({ description: 'Their outcomes, with the SMTP transcripts.' }),
            },
            { description: 'What it shows of each.' },
          ),
          note: Type.Optional(
            line(NOTE_MAX_CHARS, {
              description: 'A note on who it is for; the access log shows it, the link does not.',
              examples: ['Notary 12'],
            }),
          ),
        }),
        response: {
          201: named('CaseShare', {
            id: Id,
            name: Type.String({ description: 'On its cover.', examples: ['Contract 77, unpaid'] }),
            messages: Type.Integer({ minimum: 1, description: 'How many it has.', examples: [12] }),
            expires_at: Timestamp,
            url: Type.String({
              description: 'The link, shown only in this answer. Its fragment is the secret.',
              examples: [
                'https://mail.example.com/prove/01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11#c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I',
              ],
            }),
          }),
          ...errorAnswers(...CASE_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { name, message_ids: messageIds, expires_at, disclose, note } = request.body;
      const { caseId, secret, shares } = await shareCase(
        deps,
        request.principal,
        { name, messageIds },
        { shown: { ...disclose, parts: [] }, expiresAt: readExpiry(expires_at), note: note ?? null },
      );
      return reply.code(201).send({
        id: caseId,
        name,
        messages: shares.length,
        expires_at: shares[0]!.expiresAt.toISOString(),
        url: `${deps.publicUrl()}/prove/${caseId}#${secret}`,
      });
    },
  );
}
