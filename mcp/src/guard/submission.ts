/** A message as an agent asks for it, and as the API is given it: no copies, header fields or raw bytes. */
import { createHash } from 'node:crypto';
import { type Account, Attachment, type Send } from '@acuse/client';
import { z } from 'zod';
import { openFile } from '../files.ts';
import { Refusal } from '../refusal.ts';
import type { Session } from '../session.ts';
import { TAG } from './budget.ts';
import { digestOf } from './token.ts';
import { type Route, routeOf } from './walls.ts';

/** Of the API: docs/limits.md. One tag is this server's own. */
const TAGS_MAX = 9;
const ATTACHMENTS_MAX = 20;
/** Limits of a message here, decoded: an agent's transport takes 4 MiB a request. */
const ATTACHED_MAX_BYTES = 10 * 2 ** 20;
const TEXT_MAX_CHARS = 1_000_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const attachment = z.strictObject({
  filename: z.string().min(1).max(255),
  content_type: z.string().max(255).optional(),
  content_base64: z.string().optional().describe('The bytes in base64. Give this or file.'),
  file: z.string().max(255).optional().describe("Name of a file in this server's folder; stdio only."),
});

/** Arguments of preview_message and send_message; others are refused. */
export const SUBMISSION = {
  from: z.string().max(400).describe('An approved sender of the account: address, or Name <address>.'),
  to: z.string().max(254).describe('Exactly one address. There are no copies.'),
  reply_to: z.string().max(254).optional().describe('One address, under the same list as to.'),
  subject: z.string().max(998).optional(),
  text: z.string().max(TEXT_MAX_CHARS).optional(),
  html: z.string().max(TEXT_MAX_CHARS).optional(),
  template_id: z.string().max(64).optional().describe('From list_templates, in place of subject and bodies.'),
  variables: z.record(z.string(), z.unknown()).optional().describe('Data of the template.'),
  locale: z.string().max(35).optional(),
  certified: z.boolean().optional().describe('Sealed as evidence. Default: as the account is set.'),
  acknowledgement: z
    .literal('request')
    .optional()
    .describe(
      'Certified only: asks the recipient to acknowledge receipt, at {{acknowledgement_url}} of the body.',
    ),
  acknowledge_by: z.iso.datetime({ offset: true }).optional().describe('1 hour to 90 days ahead; 15 days.'),
  attachments: z.array(attachment).max(ATTACHMENTS_MAX).optional(),
  tags: z.array(z.string().min(1).max(64)).max(TAGS_MAX).optional(),
};
const submissionSchema = z.strictObject(SUBMISSION);
export type SubmissionInput = z.infer<typeof submissionSchema>;

export interface Rendered {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

export interface Attached {
  readonly filename: string;
  /** Name in the folder of this server; null: the agent gave the bytes. */
  readonly file: string | null;
  readonly size_bytes: number;
  readonly sha256: string;
}

export interface Submission {
  readonly route: Route;
  /** The request to the API. */
  readonly send: Send;
  readonly rendered: Rendered;
  readonly certified: boolean;
  readonly attachments: readonly Attached[];
  /** Of all of it, what the template rendered included. */
  readonly digest: string;
}

/** Throws Refusal, and what the API says of the template. */
export async function readSubmission(
  session: Session,
  account: Account,
  input: SubmissionInput,
): Promise<Submission> {
  const route = routeOf(input, account, session.config);
  if (
    input.template_id !== undefined &&
    [input.subject, input.text, input.html].some((each) => each !== undefined)
  )
    throw new Refusal(
      'invalid_body',
      'A template brings its own subject and bodies.',
      'Leave out subject, text and html, or template_id.',
    );
  const rendered = await renderedOf(session, input);
  const certified = input.certified ?? account.settings.default_certified;
  refuseVainRequest(input, certified);
  const files = await Promise.all((input.attachments ?? []).map((each) => readAttachment(session, each)));
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) > ATTACHED_MAX_BYTES)
    throw new Refusal(
      'payload_too_large',
      'Attachments exceed 10 MiB in all.',
      'Send fewer or smaller ones.',
    );
  const send: Send = {
    from: route.from.header,
    to: route.to.address,
    ...(route.replyTo !== null && { reply_to: route.replyTo.address }),
    ...(input.template_id === undefined
      ? { subject: input.subject, text: input.text, html: input.html }
      : { template_id: input.template_id, variables: input.variables }),
    ...((input.template_id !== undefined || input.acknowledgement !== undefined) && { locale: input.locale }),
    certified,
    ...(input.acknowledgement !== undefined && {
      acknowledgement: input.acknowledgement,
      acknowledge_by: input.acknowledge_by,
    }),
    ...(files.length > 0 && {
      attachments: files.map(({ bytes, filename, contentType }) =>
        Attachment.fromBytes(bytes, filename, { contentType }),
      ),
    }),
    tags: [...new Set([...(input.tags ?? []), TAG])],
  };
  return {
    route,
    send,
    rendered,
    certified,
    attachments: files.map(({ bytes, filename, file }) => ({
      filename,
      file,
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
    digest: digestOf({ send, rendered }),
  };
}

function refuseVainRequest(
  { acknowledgement, acknowledge_by: by }: SubmissionInput,
  certified: boolean,
): void {
  if (acknowledgement !== undefined && !certified)
    throw new Refusal(
      'invalid_body',
      'Only certified messages ask for an acknowledgement.',
      'Give certified: true, or leave acknowledgement out.',
    );
  if (acknowledgement === undefined && by !== undefined)
    throw new Refusal(
      'invalid_body',
      'acknowledge_by is for messages that ask for an acknowledgement.',
      'Give acknowledgement: "request" too, or leave acknowledge_by out.',
    );
}

async function renderedOf(session: Session, input: SubmissionInput): Promise<Rendered> {
  const { template_id, variables, locale } = input;
  if (template_id === undefined) {
    if (input.text === undefined && input.html === undefined)
      throw new Refusal('invalid_body', 'The message has no body.', 'Give text, html or template_id.');
    return { subject: input.subject ?? '', text: input.text ?? null, html: input.html ?? null };
  }
  const { subject, text, html } = await session.acuse.templates.render(template_id, { variables, locale });
  return { subject, text, html };
}

async function readAttachment(session: Session, given: z.infer<typeof attachment>) {
  const { filename, content_type: contentType, content_base64: base64, file } = given;
  if ((base64 === undefined) === (file === undefined))
    throw new Refusal(
      'invalid_body',
      'An attachment has content_base64 or file.',
      'Give exactly one of them.',
    );
  if (file !== undefined)
    return { filename, file, contentType, bytes: await openFile(session, file, ATTACHED_MAX_BYTES) };
  const text = base64 ?? '';
  if (text.length % 4 !== 0 || !BASE64.test(text))
    throw new Refusal('invalid_body', 'content_base64 is not base64.', 'Encode the bytes again.');
  return { filename, file: null, contentType, bytes: new Uint8Array(Buffer.from(text, 'base64')) };
}
