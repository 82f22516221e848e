import { deserialize, serialize } from 'node:v8';
import { jcsBytes } from '@acuse/evidence/jcs';
import { withoutBlindCopies } from '@acuse/mail/blind-copies';
import { ApiError, type ApiErrorCode, apiError } from '../errors.ts';
import { asApiError } from '../input-errors.ts';
import { parseJson } from '../platform/http/json-body.ts';
import { type Job, ownBuffer } from '../platform/threads/job.ts';
import { readBatchItem, readBatchItems } from './batch-items.ts';
import { type MadeMessage, type MessageInput, makeMessage } from './make-message.ts';
import { type Rfc822Parts, readRfc822Parts } from './rfc822.ts';
import {
  contentFacts,
  type GivenContent,
  type PackedContent,
  readJsonSubmission,
  type Submission,
  submittedBytes,
  wholeContent,
  withoutBcc,
} from './submission.ts';

/**
 * Large bodies are parsed, checked, hashed and composed in a thread. Texts and attachments stay in shared
 * memory, outside the request thread.
 */

/** A message of 25 MiB takes up to 3 s on a slow machine; a batch may have 64 MiB (ms). */
const JOB_LIMIT_MS = 30_000;
/** Smaller items are composed faster than sent to a thread (bytes). */
const PACKED_MIN_BYTES = 16 * 1024;

type SharedBytes = Uint8Array<SharedArrayBuffer>;

export interface Read<T> {
  readonly read: T;
  readonly bytes: SharedBytes;
}

export const readJsonJob: Job<Uint8Array, Read<Submission>> = {
  name: 'read-json',
  limitMs: JOB_LIMIT_MS,
  run(body) {
    const value = jsonOf(body);
    return { read: pack(readJsonSubmission(value)), bytes: share(submittedBytes(value, body)) };
  },
};

export const readRfc822Job: Job<Uint8Array, Read<Rfc822Parts>> = {
  name: 'read-rfc822',
  limitMs: JOB_LIMIT_MS,
  run(body) {
    const { header, submission } = readRfc822Parts(body);
    return { read: { header, submission: pack(submission) }, bytes: share(withoutBlindCopies(body)) };
  },
};

export type ReadItem =
  | {
      readonly kind: 'read';
      readonly idempotencyKey: string;
      readonly submission: Submission;
      readonly submissionBytes: Uint8Array;
    }
  | { readonly kind: 'refused'; readonly code: ApiErrorCode; readonly message: string };

/** Throws for the batch as a whole. */
export const readBatchJob: Job<Uint8Array, ReadItem[]> = {
  name: 'read-batch',
  limitMs: JOB_LIMIT_MS,
  run: (body) => readBatchItems(jsonOf(body)).map(readItem),
};

function readItem(item: unknown, index: number): ReadItem {
  try {
    const { idempotencyKey, submission } = readBatchItem(item, index);
    const bytes = asApiError(() => jcsBytes(withoutBcc(item)));
    if (bytes.length < PACKED_MIN_BYTES)
      return { kind: 'read', idempotencyKey, submission, submissionBytes: ownBuffer(bytes) };
    return { kind: 'read', idempotencyKey, submission: pack(submission), submissionBytes: share(bytes) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'refused', code: error.code, message: error.message };
  }
}

/** `content` null: the submission's own. */
export interface ComposeInput extends Omit<MessageInput, 'content'> {
  readonly content: GivenContent | null;
}

export const composeJob: Job<ComposeInput, MadeMessage> = {
  name: 'compose',
  limitMs: JOB_LIMIT_MS,
  run(input) {
    const submission = unpack(input.submission);
    const content = wholeContent(submission.content, input.content);
    const { raw, draft } = makeMessage({ ...input, submission, content });
    return { raw: ownBuffer(raw), draft };
  },
  handedOver: ({ raw }) => [raw.buffer as ArrayBuffer],
};

function jsonOf(body: Uint8Array): unknown {
  const parsed = parseJson(body);
  if (!parsed.ok) throw apiError('invalid_body', parsed.problem);
  return parsed.value;
}

function share(bytes: Uint8Array): SharedBytes {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

type Packable = Pick<Submission, 'content' | 'attachments'> & { readonly packed?: PackedContent };

function pack<S extends Packable>(submission: S): S {
  const { content, attachments } = submission;
  const { text, html } = content.kind === 'given' ? content : content.own;
  const tree = content.kind === 'given' ? content.tree : undefined;
  const bytes = share(serialize({ text, html, tree, attachments }));
  return {
    ...submission,
    content: withContent(content, { text: null, html: null, tree: undefined }),
    attachments: [],
    packed: { bytes, facts: contentFacts(submission) },
  };
}

function unpack(submission: Submission): Submission {
  const { packed, content } = submission;
  if (packed === undefined) return submission;
  const { attachments, ...large } = deserialize(Buffer.from(packed.bytes)) as LargeContent &
    Pick<Submission, 'attachments'>;
  return { ...submission, content: withContent(content, large), attachments };
}

type LargeContent = Pick<GivenContent, 'text' | 'html' | 'tree'>;

function withContent(
  content: Submission['content'],
  { text, html, tree }: LargeContent,
): Submission['content'] {
  if (content.kind === 'given') return { ...content, text, html, tree };
  return { ...content, own: { ...content.own, text, html } };
}
