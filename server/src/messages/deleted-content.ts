import { type ApiError, apiError } from '../errors.ts';
import type { ContentDeletion } from './read-store.ts';

/** What is asked for was deleted on purpose: not_found, with when and why, and what there still is. */
export function deletedContent({ cause, deleted_at }: ContentDeletion): ApiError {
  const why =
    cause === 'retention' ? 'because its retention period ended' : 'because its erasure was requested';
  return apiError(
    'not_found',
    `The content of this message was deleted at ${deleted_at.toISOString()}, ${why}. Its status, events and attempts stay readable, and its sealed evidence stays verifiable.`,
  );
}
