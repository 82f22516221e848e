import { MAX_ISSUED_BYTES } from '@acuse/evidence/bundle-entries';
import { fromBase64, toBase64, toHex, utf8 } from '@acuse/evidence/bytes';
import type { AuthorityFacts } from './rfc3161-http.ts';
import { type Sealer, SealerError, type Stamp } from './sealer.ts';
import { postToAuthority, quote, type SealerRequest, type SealerService } from './sealer-http.ts';

/** Authorities with a JSON API: hash, token and, if any, document are fields. */

export interface JsonHashShape {
  readonly hashField: string;
  readonly hashEncoding: 'hex' | 'base64';
  readonly constants: Readonly<Record<string, string | number | boolean>>;
  readonly tokenPath: readonly string[];
  /** Path to a document issued with the token, such as a PDF. */
  readonly documentPath?: readonly string[];
}

interface JsonHashOptions extends AuthorityFacts, SealerService {
  readonly shape: JsonHashShape;
}

/** With a document of the largest size, in base64. */
const MAX_ANSWER_BYTES = 2 * MAX_ISSUED_BYTES;
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
      const answer = await postToAuthority(options, asking(shape, body), signal);
      const json = parsed(answer.bytes);
      const token = bytesAt(json, shape.tokenPath);
      if (token === undefined || token.length === 0) {
        const where = shape.tokenPath.join('.');
        throw new SealerError(
          `${answer.from} answered without a time-stamp in base64 at ${where} (${answer.mediaType}): ${quote(answer.bytes)}`,
        );
      }
      // No nonce or policy: only the imprint identifies the token.
      return { response: token, expected: wanted, ...issuedIn(json, shape) };
    },
  };
}

function asking({ documentPath }: JsonHashShape, body: Uint8Array): SealerRequest {
  return { headers: HEADERS, body, ...(documentPath !== undefined && { maxBytes: MAX_ANSWER_BYTES }) };
}

/** A token without its document is a good token. */
function issuedIn(json: unknown, { documentPath }: JsonHashShape): Pick<Stamp, 'issued'> {
  if (documentPath === undefined) return {};
  const issued = bytesAt(json, documentPath);
  return { issued: issued !== undefined && issued.length <= MAX_ISSUED_BYTES ? issued : null };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

function bytesAt(json: unknown, path: readonly string[]): Uint8Array | undefined {
  let value = json;
  for (const field of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
    value = (value as Record<string, unknown>)[field];
  }
  if (typeof value !== 'string' || value === '') return undefined;
  // Some wrap lines, as PEM does.
  return fromBase64(value.replace(/\s+/g, ''));
}
