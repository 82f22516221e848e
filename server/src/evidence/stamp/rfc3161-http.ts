import type { ExpectedTimeStamp, TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import {
  buildTimeStampRequest,
  TIME_STAMP_QUERY_TYPE,
  TIME_STAMP_REPLY_TYPE,
} from '@acuse/evidence/timestamp/request';
import { type Imprint, type Sealer, SealerError } from './sealer.ts';
import { postToAuthority, quote, type SealerService } from './sealer-http.ts';

export interface AuthorityFacts {
  readonly policy: TimeStampPolicy;
  readonly intermediates?: readonly Uint8Array[];
  readonly priceMicros?: number;
}

interface Rfc3161HttpOptions extends AuthorityFacts, SealerService {
  readonly random: (bytes: number) => Uint8Array;
}

/** Too long to collide by chance. */
const NONCE_BYTES = 16;

const DER_SEQUENCE = 0x30;

export function createRfc3161HttpSealer(options: Rfc3161HttpOptions): Sealer {
  const { policy } = options;
  const headers = { 'content-type': TIME_STAMP_QUERY_TYPE, accept: TIME_STAMP_REPLY_TYPE };
  return {
    name: policy.name,
    policy,
    intermediates: options.intermediates ?? [],
    priceMicros: options.priceMicros ?? 0,
    async stamp(wanted, signal) {
      const expected = whatIsAsked(policy, wanted, options.random);
      const body = buildTimeStampRequest(expected);
      const { bytes, from, mediaType } = await postToAuthority(options, { headers, body }, signal);
      // Real authorities get the media type wrong. Non-DER answers are named here: "expected a SEQUENCE" does
      // not explain a proxy's login page.
      if (bytes[0] !== DER_SEQUENCE) {
        throw new SealerError(`${from} answered ${mediaType} instead of a time-stamp: ${quote(bytes)}`);
      }
      return { response: bytes, expected };
    },
  };
}

/** A nonce if the authority returns it, and its policy if it has exactly one. */
export function whatIsAsked(
  policy: TimeStampPolicy,
  wanted: Imprint,
  random: (bytes: number) => Uint8Array,
): ExpectedTimeStamp {
  const [requestedPolicy] = policy.policies?.length === 1 ? policy.policies : [];
  return {
    ...wanted,
    ...(policy.nonce === true && { nonce: random(NONCE_BYTES) }),
    ...(requestedPolicy !== undefined && { policy: requestedPolicy }),
  };
}
