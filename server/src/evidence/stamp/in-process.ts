import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { whatIsAsked } from './rfc3161-http.ts';
import type { Sealer } from './sealer.ts';

export interface InProcessAuthority {
  readonly policy: TimeStampPolicy;
  /** TimeStampReq in, TimeStampResp out, both DER. */
  respond(request: Uint8Array): Uint8Array;
}

/**
 * The adapter for an authority of this very process: the same bytes as over HTTP, without a route that
 * strangers could have their own hashes signed at.
 */
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
