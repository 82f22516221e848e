import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '@acuse/evidence/bundle';
import { type ComparedPromise, type Comparison, compareBundles } from '@acuse/evidence/compare';
import type { Compared } from '@acuse/evidence/compare-read';
import { contradictionFiles } from '@acuse/evidence/contradiction-md';
import type { TrustPolicy } from '@acuse/evidence/policy';
import { VERDICT_TITLES } from '@acuse/evidence/verdict-words';
import type { Verification } from '@acuse/evidence/verify';
import { sha256 } from '../platform/sha256.ts';
import { writeOutput } from './files.ts';
import type { Lines } from './output.ts';
import { type Answered, askedText, presentAnswer } from './verify-ask.ts';

/** Verifies bundles one by one, then compares those of the same log. */
export interface VerifiedFile {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly verification: Verification;
  readonly asked?: Answered;
}

export function compareFiles(
  files: readonly VerifiedFile[],
  promises: readonly ComparedPromise[],
  trust: TrustPolicy | undefined,
): Promise<Comparison> {
  const compared = files.flatMap(({ file, bytes, verification: { stamps }, asked }): Compared[] => {
    const bundle = entriesOf(bytes);
    return bundle === undefined ? [] : [{ file, bundle, stamps, ...(asked && { asked }) }];
  });
  return compareBundles(compared, promises, { sha256, now: new Date(), ...(trust && { trust }) });
}

/** Undefined: unreadable, reported elsewhere. */
function entriesOf(bytes: Uint8Array) {
  try {
    return readBundle(bytes);
  } catch {
    return undefined;
  }
}

export function writeContradictions({ contradictions }: Comparison, into: string): string[] {
  return contradictions.map((contradiction, i) => {
    const folder = join(into, `${i + 1}-${contradiction.name}`);
    mkdirSync(folder, { recursive: true });
    for (const { name, content } of contradictionFiles(contradiction, sha256))
      writeOutput(join(folder, name), content);
    return folder;
  });
}

export function togetherText(
  files: readonly VerifiedFile[],
  { contradictions, held, open }: Comparison,
  folders: readonly string[] | null,
): Lines {
  const each = files.map(({ file, verification: { verdict, reasons }, asked }): Lines => {
    const why = reasons.length === 0 ? '' : ` (${reasons.map(({ name }) => name).join(', ')})`;
    return [
      `${file}: ${VERDICT_TITLES.en[verdict]}${why}`,
      ...(asked === undefined ? [] : [`  ${askedText(asked)}`]),
    ];
  });
  const found = contradictions.map(
    ({ name, log, detail }, i): Lines => [
      `✗ ${name}  the log ${log} contradicts itself: ${detail}`,
      folders === null
        ? '  --notes <folder> writes the two notes, and how anybody checks them without this program'
        : `  written to ${folders[i]}`,
    ],
  );
  const heading =
    contradictions.length > 0
      ? 'Compared with each other: they cannot all be true'
      : 'Compared with each other: no contradiction';
  return [
    ...each,
    '',
    heading,
    ...found,
    ...held.map(({ log, detail }) => `✓ ${log}: ${detail}`),
    ...open.map(({ log, detail }) => `? ${log === '' ? detail : `${log}: ${detail}`}`),
  ];
}

/** With both signed notes. */
export function togetherValue(files: readonly VerifiedFile[], comparison: Comparison): object {
  return {
    files: files.map(({ file, verification, asked }) => ({
      file,
      ...verification,
      ...(asked && { asked: presentAnswer(asked) }),
    })),
    contradictions: comparison.contradictions.map(({ name, log, detail, notes }) => ({
      name,
      log,
      detail,
      notes: notes.map(({ content }) => Buffer.from(content).toString('utf8')),
    })),
    held: comparison.held,
    open: comparison.open,
  };
}
