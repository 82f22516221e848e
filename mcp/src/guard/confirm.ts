/** A person says yes, in their own client, to the message that they are shown. */
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { portalAddressIn, Refusal } from '../refusal.ts';
import { visibleText } from '../render/untrusted.ts';
import type { Attached, Submission } from './submission.ts';
import { digestOf } from './token.ts';

const KEY = 'confirm';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SUBJECT_SHOWN_CHARS = 200;
/** Of each body: enough to see that it is another than the subject says. */
const BODY_SHOWN_CHARS = 500;

const MARKUP = /<[^<>]{0,10000}>/g;

/** The message of a question: nobody answers for another message than they saw. */
export interface Asked {
  readonly asked: string;
}

interface Elicits {
  readonly elicitation?: { readonly form?: unknown; readonly url?: unknown } | undefined;
}

/** What the client can put before a person. */
export interface Reach {
  /** A question with a form. */
  readonly form: boolean;
  /** A page, at an address that it opens for them. */
  readonly page: boolean;
}

/** Said by the request itself in the protocol of 2026, by its handshake in older ones. */
export function reachOf(ctx: ServerContext, handshake: Elicits | undefined): Reach {
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined;
  const capabilities = envelope === undefined ? handshake : (envelope[CAPABILITIES] as Elicits | undefined);
  const { form, url } = capabilities?.elicitation ?? {};
  const page = url !== undefined;
  return { form: capabilities?.elicitation !== undefined && (form !== undefined || !page), page };
}

const APPROVE = 'approve';

/**
 * Has the client open the portal's page, where a person approves. null: it did already, or there is no page.
 */
export async function portalApproval(
  ctx: ServerContext,
  said: string,
  { digest, mint }: { readonly digest: string; readonly mint: (asked: Asked) => Promise<string> },
): Promise<InputRequiredResult | null> {
  const url = portalAddressIn(said);
  if (url === null || inputResponse(ctx.mcpReq.inputResponses, APPROVE).kind === 'elicit') return null;
  const message = 'An agent wants to send a message. See and approve it in the portal, then come back.';
  return inputRequired({
    inputRequests: { [APPROVE]: inputRequired.elicitUrl({ message, url }) },
    requestState: await mint({ asked: digestOf({ approve: digest }) }),
  });
}

/**
 * null: confirmed. Otherwise the question to return. Throws Refusal when the person says no. `mint` makes the
 * state that comes back with the answer.
 */
export async function confirmation(
  ctx: ServerContext,
  submission: Submission,
  details: {
    readonly token: string;
    readonly cost: number;
    readonly mint: (asked: Asked) => Promise<string>;
  },
): Promise<InputRequiredResult | null> {
  const asked = digestOf({ digest: submission.digest, token: details.token });
  const answer = inputResponse(ctx.mcpReq.inputResponses, KEY);
  const state = ctx.mcpReq.requestState<Asked>();
  if (answer.kind === 'elicit' && state?.asked === asked) {
    if (answer.action === 'accept' && answer.content?.['send'] === true) return null;
    throw new Refusal(
      'not_confirmed',
      'The person did not confirm. Nothing was sent.',
      'Ask them what to change; do not send again unless they say so.',
    );
  }
  return inputRequired({
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message: questionOf(submission, details.cost),
        requestedSchema: {
          type: 'object',
          properties: { send: { type: 'boolean', title: 'Send this message', default: false } },
          required: ['send'],
        },
      }),
    },
    requestState: await details.mint({ asked }),
  });
}

function questionOf({ route, rendered, attachments, certified, send }: Submission, cost: number): string {
  const subject = beginningOf(rendered.subject, SUBJECT_SHOWN_CHARS);
  const files = attachments.map(attachedText);
  return [
    'An agent wants to send this message.',
    `To: ${route.to.address}`,
    `From: ${route.from.header}`,
    ...(route.replyTo === null ? [] : [`Replies to: ${route.replyTo.address}`]),
    `Subject: ${subject}`,
    ...bodyText('Text', rendered.text),
    ...bodyText('HTML', rendered.html),
    `Attachments: ${files.length === 0 ? 'none' : files.join(', ')}`,
    ...(send.acknowledgement === undefined ? [] : ['Asks the recipient to acknowledge receipt']),
    `Cost: ${cost} cents, ${certified ? 'certified' : 'plain'}`,
  ].join('\n');
}

/** Its size, and what a reader sees first: of HTML what stands between its tags. */
function bodyText(name: string, body: string | null): readonly string[] {
  if (body === null) return [];
  const seen = name === 'HTML' ? body.replace(MARKUP, ' ') : body;
  return [`${name} (${Buffer.byteLength(body)} bytes): ${beginningOf(seen, BODY_SHOWN_CHARS)}`];
}

/** On one line, which ends in … where there is more. */
function beginningOf(text: string, max: number): string {
  const shown = Array.from(visibleText(text));
  return shown.length > max ? `${shown.slice(0, max).join('')}…` : shown.join('');
}

/** An agent may call a file of the folder as it likes: a person sees both names. */
function attachedText({ filename, file, size_bytes }: Attached): string {
  const shown = visibleText(filename);
  const source = file === null || file === filename ? '' : `, the file ${visibleText(file)}`;
  return `${shown} (${size_bytes} bytes${source})`;
}
