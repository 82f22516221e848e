import { type ApiError, apiError } from '../../errors.ts';
import { inBoth, STEPS, TERMS, type Wording } from '../../wording.ts';

/** The account's list, the operator's, or a sandbox address that shows this refusal. */
export type SuppressionList = 'tenant' | 'global' | 'sandbox';

interface SuppressedBeside {
  readonly others: readonly string[];
  /** Some recipients are not suppressed. */
  readonly canSkip: boolean;
}

const OTHERS_NAMED_MAX = 10;

export function suppressedError(
  address: string,
  list: SuppressionList,
  { others, canSkip }: SuppressedBeside = { others: [], canSkip: false },
): ApiError {
  return apiError(
    'recipient_suppressed',
    inBoth`${address} is ${WHY[list](address)}.${alsoSuppressed(others)}${canSkip ? SKIP : ''}`,
  );
}

const WHY: Readonly<Record<SuppressionList, (address: string) => string | Wording>> = {
  tenant: (address) =>
    inBoth`on this account's suppression list, so nothing was queued: to send to it again, remove it with ${STEPS.removeSuppression(address)}`,
  global: () => "on the operator's suppression list, so nothing was queued: only the operator can remove it",
  sandbox: () => 'always suppressed, so nothing was queued: this address of the sandbox shows the refusal',
};

const SKIP = inBoth` To send to the other recipients, ${TERMS.skipSuppressed}.`;

function alsoSuppressed(others: readonly string[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, OTHERS_NAMED_MAX).join(', ');
  const more = others.length - OTHERS_NAMED_MAX;
  return ` Also suppressed: ${named}${more > 0 ? ` and ${more} more` : ''}.`;
}
