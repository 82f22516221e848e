/** Our reading of real bounces against the labels that others gave them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compare, formatAgreement, type LabelledFile, summarize } from '../src/report/agreement.ts';
import { readReturnedMail } from '../src/report/read-report.ts';
import { corpusFiles } from './support/corpus.ts';

const corpora =
  process.env['ACUSE_CORPORA'] ?? fileURLToPath(new URL('../../../../shared/corpora', import.meta.url));
const bounces = join(corpora, 'bounces');
const absent = !existsSync(join(bounces, 'labels.json'));
/** Share of the recipients on which a set of labels and we must agree. */
const REQUIRED = 0.95;

describe('real bounces', () => {
  it.skipIf(absent)('are read as their labels say (skipped without ACUSE_CORPORA)', () => {
    const labels: LabelledFile[] = JSON.parse(readFileSync(join(bounces, 'labels.json'), 'utf8'));
    const rows = labels.flatMap((labelled) => compare(labelled, readFileSync(join(bounces, labelled.file))));
    const agreement = summarize(rows);
    expect(agreement.recipients).toBeGreaterThan(100);
    const told = formatAgreement(agreement).join('\n');
    expect(agreement.hardAgrees / agreement.recipients, told).toBeGreaterThanOrEqual(REQUIRED);
    expect(agreement.typeAgrees / agreement.recipients, told).toBeGreaterThanOrEqual(REQUIRED);
  });

  it.skipIf(absent)(
    'suppress nobody whom the labels call good, but for what a status says of the mailbox alone',
    () => {
      const labels: LabelledFile[] = JSON.parse(readFileSync(join(bounces, 'labels.json'), 'utf8'));
      const rows = labels.flatMap((labelled) =>
        compare(labelled, readFileSync(join(bounces, labelled.file))),
      );
      const wrong = rows.filter((row) => row.reading.suppress && !row.label.hard && row.dispute === null);
      expect(wrong.map((row) => row.file)).toEqual([]);
    },
  );

  const messages = corpusFiles('messages');
  it.skipIf(messages === null)('are told from ordinary mail (skipped without ACUSE_CORPORA)', () => {
    const reports = (messages ?? [])
      .filter(({ raw }) => !Buffer.from(raw).includes('delivery-status'))
      .filter(({ raw }) => readReturnedMail(raw).kind === 'report')
      .map(({ name }) => name);
    expect(reports).toEqual([]);
  });
});
