/** preview_message and send_message: the only way to send. */
import { type Account, ApiError } from '@acuse/client';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { checkBudget, costOf } from '../guard/budget.ts';
import { confirmation, portalApproval, type Reach } from '../guard/confirm.ts';
import { foresee } from '../guard/foresee.ts';
import { readSubmission, SUBMISSION, type Submission } from '../guard/submission.ts';
import { APPROVAL_MS, checkToken, idempotencyKeyOf, mintToken, PREVIEW_MS } from '../guard/token.ts';
import { Refusal } from '../refusal.ts';
import { messageView, viewOf } from '../render/message.ts';
import { fenceOrNull, untrusted } from '../render/untrusted.ts';
import { callingAccount, type Session } from '../session.ts';
import { READS, tool } from './tool.ts';

const refusal = z.object({ code: z.string(), message: z.string(), next: z.string() });

export const previewMessage = tool({
  name: 'preview_message',
  title: 'Preview a message',
  description:
    'Shows the whole message as it would be sent, what it costs and what stands in its way. Sends nothing. ' +
    'The preview_token that it gives is required by send_message, for exactly this message, for ten minutes.',
  needs: 'send',
  hints: READS,
  input: z.strictObject(SUBMISSION),
  output: z.object({
    from: z.string(),
    to: z.string(),
    reply_to: z.string().nullable(),
    subject: z.string().nullable().describe('As you gave it; null with a template.'),
    text: z.string().nullable(),
    html: z.string().nullable(),
    rendered: z
      .object({ subject: untrusted.nullable(), text: untrusted.nullable(), html: untrusted.nullable() })
      .nullable()
      .describe('Of a template, each cut to 500 characters.'),
    attachments: z.array(
      z.object({
        filename: z.string(),
        file: z.string().nullable(),
        size_bytes: z.number(),
        sha256: z.string(),
      }),
    ),
    certified: z.boolean(),
    cost_cents: z.number(),
    refusals: z.array(refusal).describe('Why it would not be sent; deal with these first.'),
    preview_token: z.string().nullable().describe('null while there are refusals.'),
    expires_at: z.string().nullable(),
    next: z.string(),
  }),
  async run(args, { session, reach }) {
    const { account, keyId } = await callingAccount(session);
    const submission = await readSubmission(session, account, args);
    const refusals = [
      ...(await foresee(session, account, submission)),
      ...unconfirmable(session, account, reach),
    ];
    const now = session.clock();
    const fine = refusals.length === 0;
    const { digest } = submission;
    return {
      output: {
        ...shownOf(submission, args.template_id !== undefined),
        cost_cents: costOf(account, submission.certified),
        refusals: refusals.map(({ code, message, next }) => ({ code, message, next })),
        preview_token: fine ? mintToken(session.config.secret, { keyId, digest }, now) : null,
        expires_at: fine ? new Date(now + PREVIEW_MS).toISOString() : null,
        next: fine
          ? 'If this is what you were asked for, call send_message with the same arguments and preview_token.'
          : 'Do what the first refusal says. Do not send this to another address instead.',
      },
    };
  },
});

function shownOf({ route, send, rendered, attachments, certified }: Submission, template: boolean) {
  return {
    from: route.from.header,
    to: route.to.address,
    reply_to: route.replyTo?.address ?? null,
    subject: template ? null : (send.subject ?? ''),
    text: template ? null : (send.text ?? null),
    html: template ? null : (send.html ?? null),
    rendered: template
      ? {
          subject: fenceOrNull(rendered.subject),
          text: fenceOrNull(rendered.text),
          html: fenceOrNull(rendered.html),
        }
      : null,
    attachments: [...attachments],
    certified,
  };
}

const TOKEN_NEEDED = 'missing; preview_message gives it, for exactly this message';
const PREVIEW_AGAIN = 'Call preview_message with this message, look at it, then send with its preview_token.';

export const sendMessage = tool({
  name: 'send_message',
  title: 'Send a message',
  description:
    'Sends a message that preview_message showed, with the same arguments and its preview_token. A person is ' +
    'asked to confirm. Calling it again with the same preview_token never sends twice: do so after a time-out.',
  needs: 'send',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({ ...SUBMISSION, preview_token: z.string(TOKEN_NEEDED).max(100) }),
  output: z.object({
    message: messageView,
    replayed: z.boolean().describe('true: an earlier call had sent it; nothing was sent now.'),
    next: z.string(),
  }),
  async run({ preview_token: token, ...input }, { session, ctx, reach, mint }) {
    const { account, keyId } = await callingAccount(session);
    const submission = await readSubmission(session, account, input);
    const { digest } = submission;
    const grace = needsApproval(account) ? APPROVAL_MS : 0;
    requirePreview(checkToken(session.config.secret, token, { keyId, digest }, session.clock(), grace));
    const cost = costOf(account, submission.certified);
    const idempotencyKey = idempotencyKeyOf(token);
    await checkBudget(session, account, { cost, idempotencyKey });
    const [unconfirmed] = unconfirmable(session, account, reach);
    if (unconfirmed !== undefined) throw unconfirmed;
    if (reach.form && !needsApproval(account)) {
      const question = await confirmation(ctx, submission, { token, cost, mint });
      if (question !== null) return question;
    }
    const sent = await session.serial
      .run(account.id, async () => {
        await checkBudget(session, account, { cost, idempotencyKey });
        return session.acuse.messages.send(submission.send, idempotencyKey);
      })
      .catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'approval_required' || !reach.page) throw error;
        const question = await portalApproval(ctx, error.message, { digest, mint });
        if (question === null) throw error;
        return question;
      });
    if (!isSent(sent)) return sent;
    const { message, replayed } = sent;
    session.log(`sent ${message.id}${replayed ? ' (replay)' : ''}`);
    const view = viewOf(message);
    return { output: { message: view, replayed, next: view.next } };
  },
});

type Sent = Awaited<ReturnType<Session['acuse']['messages']['send']>>;

function isSent(answer: Sent | InputRequiredResult): answer is Sent {
  return 'message' in answer && 'replayed' in answer;
}

/** A person approves it in the portal, which no program can do for them. */
function needsApproval({ api_key: key }: Account): boolean {
  return key?.needs_approval === true;
}

/** Why nobody could say yes, foreseen as it is refused. */
function unconfirmable(session: Session, account: Account, { form }: Reach): readonly Refusal[] {
  if (needsApproval(account) || form || session.config.confirm !== 'ask') return [];
  return [
    new Refusal(
      'confirmation_unavailable',
      session.way === 'http'
        ? 'Over HTTP your client cannot ask a person to confirm (MCP 2026-07-28 can), so nothing is sent.'
        : 'Your client cannot ask a person to confirm, so nothing is sent.',
      'Report this to the person who set up this server. ACUSE_MCP_CONFIRM=preview would let a preview suffice.',
    ),
  ];
}

function requirePreview(state: 'ok' | 'expired' | 'changed'): void {
  if (state === 'changed')
    throw new Refusal(
      'preview_required',
      'preview_token is not of this message as it is now.',
      PREVIEW_AGAIN,
    );
  if (state === 'expired')
    throw new Refusal(
      'preview_expired',
      'The preview is older than ten minutes.',
      `If an earlier call may have sent it, look with list_messages (tag mcp) first. ${PREVIEW_AGAIN}`,
    );
}
