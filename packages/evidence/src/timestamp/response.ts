/** PKIStatusInfo: what an authority answers in addition to, or instead of, a token. RFC 3161 §2.4.2. */
import { decodeUtf8 } from '../bytes.ts';
import { children, DerError, type DerNode, expectTag, Fields, readSmall, TAG } from './der.ts';

export interface ResponseStatus {
  readonly status: number;
  /** True for granted (0) and grantedWithMods (1), the only ones with a token to trust. */
  readonly granted: boolean;
  readonly name: string;
  /** The authority's own words, cut to a length fit for a report. */
  readonly text: readonly string[];
  /** Names of PKIFailureInfo bits. */
  readonly failures: readonly string[];
}

const STATUS_NAMES = [
  'granted',
  'grantedWithMods',
  'rejection',
  'waiting',
  'revocationWarning',
  'revocationNotification',
];

/** PKIFailureInfo by bit. RFC 3161 §2.4.2 */
export const FAILURE_BITS: Readonly<Record<number, string>> = {
  0: 'badAlg',
  2: 'badRequest',
  5: 'badDataFormat',
  14: 'timeNotAvailable',
  15: 'unacceptedPolicy',
  16: 'unacceptedExtension',
  17: 'addInfoNotAvailable',
  25: 'systemFailure',
};

/** Characters kept of one status string, and how many strings. */
const MAX_STATUS_TEXT = 256;
const MAX_STATUS_STRINGS = 4;

export function readStatus(node: DerNode): ResponseStatus {
  const fields = new Fields(node, 'PKIStatusInfo');
  const status = readSmall(fields.any('status'), 'status');
  const strings = fields.optional(TAG.sequence);
  const failInfo = fields.optional(TAG.bitString);
  fields.end();
  const text =
    strings === undefined
      ? []
      : children(strings, 'statusString').slice(0, MAX_STATUS_STRINGS).map(statusText);
  return {
    status,
    granted: status === 0 || status === 1,
    name: STATUS_NAMES[status] ?? `status ${status}`,
    text,
    failures: failInfo === undefined ? [] : failureNames(failInfo),
  };
}

function statusText(node: DerNode): string {
  const text = decodeUtf8(expectTag(node, TAG.utf8String, 'statusString').content) ?? '(not UTF-8)';
  return text.replace(/\p{Cc}|\p{Cf}/gu, ' ').slice(0, MAX_STATUS_TEXT);
}

function failureNames(node: DerNode): string[] {
  const { content } = node;
  // 26 bits are defined: a count of unused bits and at most four octets.
  if (content.length < 1 || content.length > 5 || content[0]! > 7) {
    throw new DerError('failInfo: not a named bit list');
  }
  const names: string[] = [];
  for (let bit = 0; bit < 8 * (content.length - 1); bit++) {
    if (content[1 + (bit >> 3)]! & (0x80 >> (bit & 7))) names.push(FAILURE_BITS[bit] ?? `bit ${bit}`);
  }
  return names;
}

/** One sentence for a report or a log. */
export function describeStatus(status: ResponseStatus): string {
  return [status.name, ...status.failures, ...status.text.map((text) => JSON.stringify(text))].join(', ');
}
