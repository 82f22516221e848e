import { leastSize } from '@acuse/mail/write-tree';
import { apiError } from '../errors.ts';
import { type Job, ThreadLimitError } from '../platform/threads/job.ts';
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

/**
 * Large bodies and contents are worked on by threads; small ones here, where that takes a millisecond or two
 * at most.
 */

/** From this size on (bytes, characters). */
export const LARGE_BYTES = 256 * 1024;

/**
 * What was read of a large message, and its bytes, which take the place of those given: these may be unusable
 * from here on.
 */
export interface LargeMessage<T> {
  readonly message: T;
  readonly bytes: Uint8Array;
}

/** A body of JSON. Throws invalid_body, invalid_address, unavailable. */
export async function readLargeJson(
  threads: Threads,
  tenantId: string,
  body: Uint8Array,
): Promise<LargeMessage<Submission>> {
  const { read, bytes } = await runOn(threads, readJsonJob, tenantId, body);
  return { message: read, bytes };
}

/** As readRfc822. Throws invalid_body, invalid_address, payload_too_large, unavailable. */
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

/** As makeMessage, wherever that delays nobody. */
export function makeMessageAnywhere(
  threads: Threads,
  tenantId: string,
  input: MessageInput,
): MadeMessage | Promise<MadeMessage> {
  const { submission, content } = input;
  const { packed } = submission;
  const bytes = (packed?.bytes.length ?? 0) + charsOf(content) + attachedBytes(submission);
  if (packed === undefined && bytes < LARGE_BYTES) return makeMessage(input);
  // A template's rendered content is not the submission's own.
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
  const { buffer } = body;
  const handOver = buffer instanceof ArrayBuffer && buffer.byteLength === body.length ? [buffer] : [];
  return withinLimits(threads.run(job, body, { tenantId, bytes: body.length, handOver }));
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
