import { createFailedKeys } from '../../accounts/api-keys/failed-keys.ts';
import type { Clock } from '../../platform/clock.ts';

/**
 * Looks up a token that a request brings (a cookie, the secret of a link); null: there is none. Made-up ones
 * take no connection of the database from others: beyond a number of failures the tokens of a network, or of
 * a larger one around it, are looked up in turn, but for those that were good lately.
 */
export type TokenLookUps = <T>(
  address: string,
  token: string,
  look: () => Promise<T | null>,
) => Promise<T | null>;

const KNOWN_MAX = 4_096;

/** The look-up throws as `look` does, and rate_limited when too many wait. */
export function createTokenLookUps(clock: Clock): TokenLookUps {
  const failed = createFailedKeys(clock);
  const known = new Set<string>();
  return async (address, token, look) => {
    const found = known.has(token) ? await look() : await failed.lookUp(address, look);
    known.delete(token);
    if (found === null) failed.count(address);
    else known.add(token);
    if (known.size > KNOWN_MAX) known.delete(known.values().next().value!);
    return found;
  };
}
