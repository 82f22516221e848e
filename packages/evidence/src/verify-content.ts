/** Checks that the content opens the manifest's commitments. */
import { type Bundle, requireEntry } from './bundle.ts';
import { type Sha256, toHex } from './bytes.ts';
import type { Checklist } from './checks.ts';
import type { Opening } from './commitment.ts';
import { withDigests } from './digests.ts';
import { EvidenceError } from './errors.ts';
import { hashLayers, layerContents, type PartFacts } from './layers.ts';
import type { MessageManifest } from './manifest.ts';
import { assertOpens, type Openings, parseOpenings } from './openings.ts';
import type { Verifying } from './verify-context.ts';

/** The entry that holds a part shown alone. */
export function partEntry(index: number): string {
  return `parts/${String(index).padStart(2, '0')}.bin`;
}

/** Adds `openings`, `submission`, `message`, `message_relaxed`, `message_parts`, each if it is opened. */
export async function checkContent(
  { list, bundle, sha256, digest }: Verifying,
  manifest: MessageManifest,
  canonicalHash: string,
): Promise<Openings | undefined> {
  const openings = list.run('openings', () => {
    const value = parseOpenings(requireEntry(bundle, 'openings.json', 'openings'));
    assertOpens(value, manifest, canonicalHash, sha256);
    assertNothingUnopened(bundle, value);
    return { value, detail: describeState(value, manifest.mail.parts.length) };
  });
  if (openings === undefined) return undefined;
  checkSubmission(list, bundle, openings.submission, sha256);
  if (openings.mail.raw !== undefined)
    await checkMessage({ list, bundle, sha256, digest }, openings, openings.mail.raw);
  else if (openings.mail.parts.length > 0) checkPartsAlone(list, bundle, openings, sha256);
  return openings;
}

function describeState({ content, mail }: Openings, parts: number): string {
  if (content === 'complete') return 'every commitment is opened';
  if (content === 'erased')
    return `the content was erased, and with it the salts: the message, its ${parts} parts, the request and both addresses can be shown no more`;
  return `opened in part only: ${mail.parts.length} of the message's parts`;
}

/** Unopened content would be unverified. */
function assertNothingUnopened(bundle: Bundle, { mail, submission }: Openings): void {
  const shown = new Set<string>();
  if (submission !== undefined) shown.add('submission.bin');
  if (mail.raw !== undefined) shown.add('message.eml');
  else for (const { index } of mail.parts) shown.add(partEntry(index));
  const stray = [...bundle.keys()].find((name) => isContent(name) && !shown.has(name));
  if (stray !== undefined) throw new EvidenceError('openings', `${stray} is there but not opened`);
}

function isContent(name: string): boolean {
  return name === 'message.eml' || name === 'submission.bin' || name.startsWith('parts/');
}

function checkSubmission(
  list: Checklist,
  bundle: Bundle,
  opening: Opening | undefined,
  sha256: Sha256,
): void {
  if (opening === undefined) return;
  list.run('submission', () => {
    assertHash(sha256(requireEntry(bundle, 'submission.bin', 'submission')), opening, 'the request');
    return { value: true, detail: 'submission.bin is the request as it was received' };
  });
}

async function checkMessage(
  { list, bundle, sha256, digest }: Pick<Verifying, 'list' | 'bundle' | 'sha256' | 'digest'>,
  openings: Openings,
  raw: Opening,
): Promise<void> {
  const { header, body, parts } = openings.mail;
  const layers = await list.runAsync('message', async () => {
    const contents = layerContents(requireEntry(bundle, 'message.eml', 'message'));
    const large = [contents.body, ...contents.parts.map(({ content }) => content)];
    const value = hashLayers(contents, await withDigests(sha256, digest, large));
    assertHash(value.raw, raw, 'the message');
    return { value, detail: 'message.eml is byte for byte the message that was accepted' };
  });
  if (layers === undefined) {
    list.skip('message_relaxed', 'message');
    list.skip('message_parts', 'message');
    return;
  }
  list.run('message_relaxed', () => {
    if (header !== undefined) assertHash(layers.header, header, 'the header');
    if (body !== undefined) assertHash(layers.body, body, 'the body');
    return { value: true, detail: 'header and body match in relaxed form' };
  });
  list.run('message_parts', () => {
    for (const part of parts) assertSamePart(layers.parts[part.index], part);
    return { value: true, detail: `${parts.length} of ${layers.parts.length} parts match` };
  });
}

function checkPartsAlone(list: Checklist, bundle: Bundle, openings: Openings, sha256: Sha256): void {
  list.run('message_parts', () => {
    for (const part of openings.mail.parts) {
      const content = requireEntry(bundle, partEntry(part.index), 'message_parts');
      assertSamePart({ ...part, sha256: toHex(sha256(content)), size: content.length }, part);
    }
    return { value: true, detail: `${openings.mail.parts.length} parts match, shown alone` };
  });
}

export function isSamePart(found: PartFacts, wanted: PartFacts): boolean {
  return (
    found.sha256 === wanted.sha256 &&
    found.size === wanted.size &&
    found.media_type === wanted.media_type &&
    found.filename === wanted.filename
  );
}

function assertSamePart(found: PartFacts | undefined, wanted: PartFacts & { index: number }): void {
  if (found === undefined || !isSamePart(found, wanted))
    throw new EvidenceError('message_parts', `part ${wanted.index} is another one`);
}

function assertHash(hash: Uint8Array, opening: Opening, what: string): void {
  if (toHex(hash) !== opening.sha256)
    throw new EvidenceError('message', `${what} has the SHA-256 ${toHex(hash)}, not ${opening.sha256}`);
}
