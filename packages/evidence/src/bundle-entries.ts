/** The entries of a proof bundle: names, limits and order. */
import { DELIVERY_KINDS } from './delivery-kinds.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

export const MAX_BUNDLE_BYTES = 144 * MIB;
export const MAX_BUNDLE_CONTENT_BYTES = 96 * MIB;
export const MAX_BUNDLE_ENTRIES = 512;
/** Name of a document that an authority issued with a token. */
export const MAX_ISSUED_BYTES = 2 * MIB;

export const SUMS = 'SHA256SUMS';

const ISSUED = /^issued\/(?:(?:message-)?constancia|(?:delivery|renewal)-\d{2})\.bin$/;
const OUTCOME = /^delivery\/\d{2}-([a-z]+)\.([a-z.-]+)$/;

/** `delivery/<number>-<kind>.<file>`, of every known kind. */
function ofOutcome(file: string): Pick<RegExp, 'test'> {
  return {
    test(name) {
      const [, kind, end] = OUTCOME.exec(name) ?? [];
      return end === file && DELIVERY_KINDS.some((known) => known === kind);
    },
  };
}

/** In the order in which they are written. `text`: UTF-8, for the JSON form. */
const RULES: readonly { name: Pick<RegExp, 'test'>; maxBytes: number; text: boolean }[] = [
  { name: /^VERIFY\.md$/, maxBytes: 256 * KIB, text: true },
  { name: /^report\.pdf$/, maxBytes: 16 * MIB, text: false },
  { name: /^manifest\.json$/, maxBytes: 64 * KIB, text: true },
  { name: /^openings\.json$/, maxBytes: 256 * KIB, text: true },
  { name: /^message\.eml$/, maxBytes: 32 * MIB, text: false },
  { name: /^submission\.bin$/, maxBytes: 64 * MIB, text: false },
  { name: /^parts\/\d{2,3}\.bin$/, maxBytes: 32 * MIB, text: false },
  { name: /^proof\.tlog-proof$/, maxBytes: 320 * KIB, text: true },
  { name: /^checkpoint\.txt$/, maxBytes: 64 * KIB, text: true },
  { name: /^history\.txt$/, maxBytes: 128 * KIB, text: true },
  { name: /^outcomes\.note$/, maxBytes: 64 * KIB, text: true },
  { name: /^log-end\.note$/, maxBytes: 64 * KIB, text: true },
  { name: /^(?:message-)?constancia\.tsr$/, maxBytes: 256 * KIB, text: false },
  {
    name: /^chain\/(?:(?:message-)?constancia|(?:delivery|renewal)-\d{2})\.pem$/,
    maxBytes: 256 * KIB,
    text: true,
  },
  { name: /^revocation\/[a-z0-9-]{1,64}\.(?:crl|ocsp)$/, maxBytes: 16 * MIB, text: false },
  { name: /^renewal\/\d{2}\.sums$/, maxBytes: 64 * KIB, text: true },
  { name: /^renewal\/\d{2}\.list$/, maxBytes: 96 * KIB, text: true },
  { name: /^renewal\/\d{2}\.tsr$/, maxBytes: 256 * KIB, text: false },
  { name: ofOutcome('json'), maxBytes: 64 * KIB, text: true },
  { name: ofOutcome('openings.json'), maxBytes: 64 * KIB, text: true },
  { name: ofOutcome('tlog-proof'), maxBytes: 320 * KIB, text: true },
  { name: ofOutcome('tsr'), maxBytes: 256 * KIB, text: false },
  { name: ofOutcome('transcript.json'), maxBytes: 4 * MIB, text: false },
  { name: ofOutcome('dsn.eml'), maxBytes: 16 * MIB, text: false },
  {
    name: ISSUED,
    maxBytes: MAX_ISSUED_BYTES,
    text: false,
  },
  { name: /^policy\.json$/, maxBytes: 512 * KIB, text: true },
  { name: /^SHA256SUMS$/, maxBytes: 256 * KIB, text: true },
];

/** A bundle without these proves nothing. */
export const REQUIRED_ENTRIES = [
  'VERIFY.md',
  'manifest.json',
  'openings.json',
  'proof.tlog-proof',
  'checkpoint.txt',
  'constancia.tsr',
  'chain/constancia.pem',
  'policy.json',
  SUMS,
] as const;

export function entryLimit(name: string): number | undefined {
  return RULES.find((rule) => rule.name.test(name))?.maxBytes;
}

export function isTextEntry(name: string): boolean {
  return RULES.find((rule) => rule.name.test(name))?.text ?? false;
}

/** The names in the order of the rules; within one rule, by their bytes. */
export function inBundleOrder(names: Iterable<string>): string[] {
  const rank = (name: string) => RULES.findIndex((rule) => rule.name.test(name));
  return [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Names of documents that authorities issued with their time-stamps, in order. */
export function issuedIn(entries: ReadonlyMap<string, unknown>): string[] {
  return [...entries.keys()].filter((name) => ISSUED.test(name)).sort();
}
