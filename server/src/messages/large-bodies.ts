import { leastSize } from '@acuse/mail/write-tree';
import { apiError } from '../errors.ts';
import { buffersOf, type Job, ThreadLimitError } from '../platform/threads/job.ts';
import type { Threads } from '../platform/threads/threads.ts';
import {
  type ComposeInput,
  composeJob,
  type Read,
  type ReadItem,
  readBatchJob,
  readJsonJob,
  readRfc822Job,
} from './large-jobs.ts';
import { type MadeMessage, type MessageInput, makeMessage } from './make-message.ts';
import { type Rfc822Message, rfc822Message } from './rfc822.ts';
import type { GivenContent, Submission } from './submission.ts';

/** Large bodies go to threads; small ones take a millisecond or two here. */

export const LARGE_BYTES = 256 * 1024;

/** Replaces the given bytes, which may be unusable afterwards. */
export interface LargeMessage<T> {
  readonly message: T;
  readonly bytes: Uint8Array;
}

/** Throws invalid_body, invalid_address, unavailable. */
export async function readLargeJson(
  threads: Threads,
  tenantId: string,
  body: Uint8Array,
): Promise<LargeMessage<Submission>> {
  const { read, bytes } = await runOn(threads, readJsonJob, tenantId, body);
  return { message: read, bytes };
}

/** Throws invalid_body, invalid_address, payload_too_large, unavailable. */
export async function readLargeRfc822(
  threads: Threads,
  tenantId: string,
  raw: Uint8Array,
): Promise<LargeMessage<Rfc822Message>> {
  const { read, bytes } = await runOn(threads, readRfc822Job, tenantId, raw);
  return { message: rfc822Message(read), bytes };
}

/** Throws invalid_body, empty_batch, batch_too_large, unavailable. */
export function readLargeBatch(threads: Threads, tenantId: string, body: Uint8Array): Promise<ReadItem[]> {
  return runOn(threads, readBatchJob, tenantId, body);
}

export function makeMessageAnywhere(
  threads: Threads,
  tenantId: string,
  input: MessageInput,
): MadeMessage | Promise<MadeMessage> {
  const { submission, content } = input;
  const { packed } = submission;
  const bytes = (packed?.bytes.length ?? 0) + charsOf(content) + attachedBytes(submission);
  if (packed === undefined && bytes < LARGE_BYTES) return makeMessage(input);
  const given: ComposeInput = { ...input, content: submission.content.kind === 'given' ? null : content };
  const order = { tenantId, bytes: bytes + (input.evidence?.submissionBytes.length ?? 0) };
  return withinLimits(threads.run(composeJob, given, order));
}

function charsOf({ text, html, tree }: GivenContent): number {
  return (text?.length ?? 0) + (html?.length ?? 0) + (tree === undefined ? 0 : leastSize(tree));
}

function attachedBytes({ attachments }: Submission): number {
  return attachments.reduce((sum, { content }) => sum + content.length, 0);
}

function runOn<T extends Read<unknown> | ReadItem[]>(
  threads: Threads,
  job: Job<Uint8Array, T>,
  tenantId: string,
  body: Uint8Array,
): Promise<T> {
  const order = { tenantId, bytes: body.length, handOver: buffersOf(body) };
  return withinLimits(threads.run(job, body, order));
}

async function withinLimits<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ThreadLimitError)) throw error;
    throw apiError('invalid_body', `The body takes too much ${error.limit} to read: send a smaller one.`, {
      cause: error,
    });
  }
}
