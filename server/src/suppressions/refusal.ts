import { type ApiError, apiError } from '../errors.ts';

/** The account's own list, or the operator's, which holds for every account. */
export type SuppressionList = 'tenant' | 'global';

/** `address`: as it is shown. */
export function suppressedError(address: string, list: SuppressionList): ApiError {
  const fix =
    list === 'tenant'
      ? 'if it should get mail again, remove it with DELETE /v1/suppressions/{id}'
      : 'the operator keeps that list';
  return apiError(
    'recipient_suppressed',
    `${address} is on the ${list} suppression list and nothing was queued: ${fix}.`,
  );
}
