import type { ComposeInput } from '../../src/compose.ts';
import { readDomainName } from '../../src/domain-name.ts';
import { bodyText, headerText, messageIdOf, subjectText } from '../../src/header-text.ts';
import { parseMailbox } from '../../src/mailbox.ts';

export const SEED = '0192f4a1-7b2c-7d3e-8f40-123456789abc';
export const SENT_AT_MS = Date.UTC(2025, 10, 20, 9, 40, 0);

/** A small certified message; every field can be replaced. */
export function composeInput(changes: Partial<ComposeInput> = {}): ComposeInput {
  return {
    evidence: { id: headerText(SEED, 'id', 200), log: headerText('log.example.com/acuse', 'log', 200) },
    messageId: messageIdOf(SEED, readDomainName('example.com')!),
    dateMs: SENT_AT_MS,
    boundarySeed: SEED,
    headerFrom: parseMailbox('Acme <billing@example.com>'),
    headerTo: [parseMailbox('ana@example.org')],
    subject: subjectText('Your receipt'),
    text: bodyText('Thank you.\n', 'text'),
    ...changes,
  };
}

export function asText(raw: Uint8Array): string {
  return Buffer.from(raw).toString('utf8');
}
