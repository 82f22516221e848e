import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { whatIsAsked } from './rfc3161-http.ts';
import type { Sealer } from './sealer.ts';

interface InProcessAuthority {
  readonly policy: TimeStampPolicy;
  respond(request: Uint8Array): Uint8Array;
}

/** An in-process authority: the same bytes, without a public route for strangers' hashes. */
export function createInProcessSealer(
  authority: InProcessAuthority,
  random: (bytes: number) => Uint8Array,
): Sealer {
  const { policy } = authority;
  return {
    name: policy.name,
    policy,
    intermediates: [],
    priceMicros: 0,
    async stamp(wanted) {
      const expected = whatIsAsked(policy, wanted, random);
      return { response: authority.respond(buildTimeStampRequest(expected)), expected };
    },
  };
}
