/** Compares a received copy with the sealed message. Its verdict is independent of the bundle's. */
import { equalBytes, type Sha256, toHex } from './bytes.ts';
import { type Check, Checklist } from './checks.ts';
import { verifyDkim } from './dkim-verify.ts';
import { EvidenceError } from './errors.ts';
import { L1_HEADERS, type MessageLayers, messageLayers } from './layers.ts';
import type { MessageManifest } from './manifest.ts';
import type { Openings } from './openings.ts';
import { isTrace, strangeFields } from './received-header.ts';
import { type RawHeader, relaxedField, type SplitMessage, splitMessage, toCrlf } from './relaxed.ts';
import { isSamePart } from './verify-content.ts';

/** Bytes of a received message: ours, and what relays put before it. */
export const MAX_EML_BYTES = 64 * 1024 * 1024;

/** Differences reported; a forged copy may have thousands. */
const MAX_DIFFERENCES = 32;
const MAX_NAME_CHARS = 80;

/**
 * `same`: byte for byte, or except for white space and fields that relays write. `parts`: it has the parts
 * that the bundle shows; the rest is unknown. `not_comparable`: the bundle is invalid, or opens nothing to
 * compare with.
 */
export type CopyVerdict = 'same' | 'parts' | 'differs' | 'not_comparable';

/** `name`: of the field, or of the part. */
export type Difference = {
  kind: 'field_added' | 'field_changed' | 'field_missing' | 'header' | 'body' | 'part_missing' | 'unreadable';
  name?: string;
};

/** L0: byte for byte. L1: header and body except for white space. L2: every part that the bundle opens. */
export type EmlReport = {
  verdict: CopyVerdict;
  differences: Difference[];
  L0: boolean;
  L1: boolean;
  L2: boolean;
  checks: Check[];
};

/** `message`: `message.eml` of the bundle, if it has one. */
export type Sealed = { manifest: MessageManifest; openings: Openings; message: Uint8Array | undefined };

export function notComparable(reason: string): EmlReport {
  const checks = [{ name: 'eml', ok: false, detail: reason }];
  return { verdict: 'not_comparable', differences: [], L0: false, L1: false, L2: false, checks };
}

/** Matching and differing layers; line ends that a mail program changed do not count. */
export async function compareEml(
  received: Uint8Array,
  { manifest, openings, message: sealedBytes }: Sealed,
  sha256: Sha256,
): Promise<EmlReport> {
  if (openings.content === 'erased')
    return notComparable(
      'the content was erased, so there is nothing to compare a copy with. An earlier bundle still has it',
    );
  const list = new Checklist();
  const message = list.run('eml.readable', () => {
    if (received.length > MAX_EML_BYTES) throw new EvidenceError('eml', `larger than ${MAX_EML_BYTES} bytes`);
    const bytes = toCrlf(received);
    const value = { bytes, layers: messageLayers(bytes, sha256), split: splitMessage(bytes) };
    return { value, detail: 'the received message can be read' };
  });
  if (message === undefined) {
    const none = { L0: false, L1: false, L2: false, checks: list.checks };
    return { verdict: 'differs', differences: [{ kind: 'unreadable' }], ...none };
  }
  const { bytes, layers, split } = message;
  const sealed = sealedBytes === undefined ? undefined : splitMessage(sealedBytes);
  const strange = strangeFields(split.headers, sealed?.headers ?? [], COVERED);
  const L0 = list.run('eml.L0', () => compareBytes(bytes, split, openings, sha256)) === true;
  const header = list.run('eml.L1.header', () => compareHeader(layers, openings, strange)) === true;
  const body = list.run('eml.L1.body', () => compareHash('body', layers, openings)) === true;
  const L1 = header && body;
  const L2 = list.run('eml.L2', () => compareParts(layers, openings)) === true;
  await list.runAsync('eml.dkim', async () => {
    const keys = await verifyDkim(bytes, manifest.dkim, sha256);
    const names = keys.map(({ domain, selector, algorithm }) => `${domain} (${selector}, ${algorithm})`);
    return { value: true, detail: `signed by ${names.join(' and ')}, with the key recorded at acceptance` };
  });
  const partsOnly = openings.mail.raw === undefined && openings.mail.body === undefined;
  const verdict = L0 || L1 ? 'same' : partsOnly && L2 ? 'parts' : 'differs';
  const differences =
    verdict === 'differs'
      ? [
          ...headerDifferences(split, sealed, strange, header || openings.mail.header === undefined),
          ...(body || openings.mail.body === undefined ? [] : [{ kind: 'body' } as const]),
          ...lostParts(layers, openings).map((part) => ({
            kind: 'part_missing' as const,
            name: shown(part.filename ?? part.media_type),
          })),
        ]
      : [];
  return {
    ...{ verdict, differences: differences.slice(0, MAX_DIFFERENCES), L0, L1, L2 },
    checks: list.checks,
  };
}

type Compared = { value: boolean; detail: string };

const COVERED: ReadonlySet<string> = new Set(L1_HEADERS.map((name) => name.toLowerCase()));

/** The sealed message is the end of the received one, and before it stand the fields of relays alone. */
function compareBytes(
  message: Uint8Array,
  { headers }: SplitMessage,
  { mail }: Openings,
  sha256: Sha256,
): Compared {
  if (mail.raw === undefined) throw new EvidenceError('eml', 'the bundle does not open the whole message');
  // A second one before it is not a relay's field: only the first can begin the sealed message.
  const at = headers.findIndex(({ name }) => name.toLowerCase() === 'service-evidence');
  const first = headers[at];
  if (first === undefined)
    throw new EvidenceError('eml', 'not byte for byte: there is no Service-Evidence field');
  const strange = headers.slice(0, at).find((field) => !isTrace(field));
  if (strange !== undefined)
    throw new EvidenceError(
      'eml',
      `not byte for byte: ${JSON.stringify(shown(strange.name))} precedes the sealed message, which no relay writes`,
    );
  const start = first.raw.byteOffset - message.byteOffset;
  if (toHex(sha256(message.subarray(start))) !== mail.raw.sha256)
    throw new EvidenceError('eml', 'not byte for byte: something was changed on the way');
  return { value: true, detail: `byte for byte, behind ${start} bytes that relays added` };
}

function compareHeader(layers: MessageLayers, openings: Openings, strange: readonly RawHeader[]): Compared {
  const compared = compareHash('header', layers, openings);
  if (strange.length > 0)
    throw new EvidenceError(
      'eml',
      `${JSON.stringify(shown(strange[0]!.name))} stands in the header, which was not sealed and which no relay writes`,
    );
  return compared;
}

function compareHash(layer: 'header' | 'body', layers: MessageLayers, { mail }: Openings): Compared {
  const opening = mail[layer];
  if (opening === undefined) throw new EvidenceError('eml', `the bundle does not open the ${layer}`);
  if (toHex(layers[layer]) !== opening.sha256)
    throw new EvidenceError('eml', `the ${layer} was changed on the way`);
  return { value: true, detail: `the ${layer} is the same but for white space` };
}

function lostParts(layers: MessageLayers, { mail }: Openings): Openings['mail']['parts'] {
  return mail.parts.filter((wanted) => !layers.parts.some((found) => isSamePart(found, wanted)));
}

function compareParts(layers: MessageLayers, openings: Openings): Compared {
  const { parts } = openings.mail;
  if (parts.length === 0) throw new EvidenceError('eml', 'the bundle opens no part');
  const lost = lostParts(layers, openings);
  const count = `${parts.length - lost.length} of ${parts.length} parts`;
  if (lost.length > 0)
    throw new EvidenceError(
      'eml',
      `${count} are the same; missing: ${lost.map(({ index }) => index).join(', ')}`,
    );
  return { value: true, detail: `${count} are the same` };
}

/** Told by name where the sealed header is at hand. */
function headerDifferences(
  received: SplitMessage,
  sealed: SplitMessage | undefined,
  strange: readonly RawHeader[],
  holds: boolean,
): Difference[] {
  const added = strange.map(({ name }): Difference => ({ kind: 'field_added', name: shown(name) }));
  if (sealed === undefined) return holds || added.length > 0 ? added : [{ kind: 'header' }];
  const named = L1_HEADERS.flatMap((name): Difference[] => {
    const [before, now] = [sealed, received].map(({ headers }) =>
      headers.filter((field) => field.name.toLowerCase() === name.toLowerCase()).map(relaxedField),
    );
    if (now!.length > before!.length) return [{ kind: 'field_added', name }];
    if (now!.length < before!.length) return [{ kind: 'field_missing', name }];
    const same = before!.every((field, i) => equalBytes(field, now![i]!));
    return same ? [] : [{ kind: 'field_changed', name }];
  });
  return [...named, ...added];
}

const shown = (name: string) => (name === '' ? 'a line without a name' : name.slice(0, MAX_NAME_CHARS));
