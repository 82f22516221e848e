import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { classifyReport } from '../src/report/classify-report.ts';
import type { ReportedRecipient } from '../src/report/read-dsn.ts';
import { readReturnedMail } from '../src/report/read-report.ts';
import { DOCUMENTED_REPLIES, repliedLine } from './support/documented-replies.ts';

const FORMATS = readFileSync(new URL('fixtures/report-formats.txt', import.meta.url), 'utf8')
  .split(/^##### /m)
  .slice(1)
  .map((block) => {
    const [name = '', type = '', recipient = ''] = block
      .slice(0, block.indexOf('\n'))
      .split('|')
      .map((field) => field.trim());
    return { name, type, recipient, text: block.slice(block.indexOf('\n') + 1) };
  });

describe('a report in the format of another mail system', () => {
  it.each(FORMATS)('$name', ({ text, type, recipient }) => {
    const mail = readReturnedMail(Buffer.from(text.replaceAll('\n', '\r\n')));
    if (mail.kind !== 'report') throw new Error(`read as ${mail.kind}`);
    const read = mail.report.recipients.map((one) => {
      const { outcome, bounceType } = classifyReport(one);
      return [one.finalRecipient, outcome === 'bounced' ? bounceType : outcome];
    });
    const types = type.split(', ');
    expect(read).toEqual(recipient.split(', ').map((address, at) => [address, types[at]]));
  });
});

const OTHER_WORDS = readFileSync(new URL('fixtures/other-words.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(repliedLine);

describe('a reply that its server documents, or in other words', () => {
  it.each([...DOCUMENTED_REPLIES, ...OTHER_WORDS])('%s (%s): %s', (reply, step, types) => {
    const [, code = '0', status] = /^(?:([245]\d\d) )?([245]\.\d+\.\d+)?/.exec(reply)!;
    const recipient: ReportedRecipient = {
      finalRecipient: 'a@b.test',
      originalRecipient: null,
      action: 'failed',
      status: status ?? null,
      replyCode: Number(code),
      diagnosticType: code === '0' ? null : 'smtp',
      diagnosticCode: code === '0' ? null : reply,
      remoteMta: null,
      step,
      explanation: reply,
      category: null,
      standard: true,
    };
    const { bounceType, reason } = classifyReport(recipient);
    expect(types.split('|').filter((type) => type === bounceType || type === reason)).not.toEqual([]);
  });
});
