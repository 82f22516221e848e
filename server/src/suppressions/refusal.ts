import { type ApiError, apiError } from '../errors.ts';

/** The account's own list, or the operator's, which holds for every account. */
export type SuppressionList = 'tenant' | 'global';

/** What a request with several recipients adds. */
export interface SuppressedBeside {
  /** Its other recipients that are suppressed. */
  readonly others: readonly string[];
  /** Some of its recipients are not. */
  readonly canSkip: boolean;
}

/** Other suppressed recipients that a refusal names. */
const OTHERS_NAMED_MAX = 10;

/** `address`: as it is shown. */
export function suppressedError(
  address: string,
  list: SuppressionList,
  { others, canSkip }: SuppressedBeside = { others: [], canSkip: false },
): ApiError {
  const [whose, fix] =
    list === 'tenant'
      ? ["this account's", 'to send to it again, remove it with DELETE /v1/suppressions/{id}']
      : ["the operator's", 'only the operator can remove it'];
  return apiError(
    'recipient_suppressed',
    `${address} is on ${whose} suppression list, so nothing was queued: ${fix}.${alsoSuppressed(others)}${canSkip ? SKIP : ''}`,
  );
}

const SKIP = ' To send to the other recipients, set skip_suppressed to true.';

function alsoSuppressed(others: readonly string[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, OTHERS_NAMED_MAX).join(', ');
  const more = others.length - OTHERS_NAMED_MAX;
  return ` Also suppressed: ${named}${more > 0 ? ` and ${more} more` : ''}.`;
}
