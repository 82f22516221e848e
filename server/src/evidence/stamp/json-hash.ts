import { fromBase64, toBase64, toHex, utf8 } from '@acuse/evidence/bytes';
import type { AuthorityFacts } from './rfc3161-http.ts';
import { type Sealer, SealerError } from './sealer.ts';
import { postToAuthority, quote, type SealerService } from './sealer-http.ts';

/** Authorities with a JSON API: the hash in one field, the token in base64 in another. */

export interface JsonHashShape {
  readonly hashField: string;
  readonly hashEncoding: 'hex' | 'base64';
  readonly constants: Readonly<Record<string, string | number | boolean>>;
  /** Path to the token, outermost first. */
  readonly tokenPath: readonly string[];
}

export interface JsonHashOptions extends AuthorityFacts, SealerService {
  readonly shape: JsonHashShape;
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

export function createJsonHashSealer(options: JsonHashOptions): Sealer {
  const { policy, shape } = options;
  return {
    name: policy.name,
    policy,
    intermediates: options.intermediates ?? [],
    priceMicros: options.priceMicros ?? 0,
    async stamp(wanted, signal) {
      const hash = shape.hashEncoding === 'hex' ? toHex(wanted.imprint) : toBase64(wanted.imprint);
      const body = utf8(JSON.stringify({ ...shape.constants, [shape.hashField]: hash }));
      const answer = await postToAuthority(options, { headers: HEADERS, body }, signal);
      const token = tokenIn(answer.bytes, shape.tokenPath);
      if (token === undefined) {
        const where = shape.tokenPath.join('.');
        throw new SealerError(
          `${answer.from} answered without a time-stamp in base64 at ${where} (${answer.mediaType}): ${quote(answer.bytes)}`,
        );
      }
      // No nonce or policy: only the imprint identifies the token.
      return { response: token, expected: wanted };
    },
  };
}

function tokenIn(bytes: Uint8Array, path: readonly string[]): Uint8Array | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
  for (const field of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
    value = (value as Record<string, unknown>)[field];
  }
  if (typeof value !== 'string' || value === '') return undefined;
  // Some wrap lines, as PEM does.
  return fromBase64(value.replace(/\s+/g, ''));
}
