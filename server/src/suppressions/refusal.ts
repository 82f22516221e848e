import { type ApiError, apiError } from '../errors.ts';

/** The account's own list, or the operator's, which holds for every account. */
export type SuppressionList = 'tenant' | 'global';

/** `address`: as it is shown. */
export function suppressedError(address: string, list: SuppressionList): ApiError {
  const [whose, fix] =
    list === 'tenant'
      ? ["this account's", 'to send to it again, remove it with DELETE /v1/suppressions/{id}']
      : ["the operator's", 'only the operator can remove it'];
  return apiError(
    'recipient_suppressed',
    `${address} is on ${whose} suppression list, so nothing was queued: ${fix}.`,
  );
}
