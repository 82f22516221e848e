import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accountActionWords } from '../shared/audit/account-words.ts';

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId?: string; security?: { session?: string[] }[] }>>>
  >;
}

/** Looks, tries or previews: not in the log. */
const NOT_CHANGES = [
  'verifyDomain',
  'verifyMessage',
  'renderTemplate',
  'renderTemplateDraft',
  'previewTemplateDraft',
  'previewMailboxMail',
  'makeCaseFile',
];

test('everything that the log records by its operation has words in both languages', () => {
  const document: Document = JSON.parse(
    readFileSync(new URL('../../contract/portal.json', import.meta.url), 'utf8'),
  );
  const recorded = Object.values(document.paths)
    .flatMap((methods) => Object.entries(methods))
    .filter(([method, { security = [] }]) => {
      const scopes = security.flatMap(({ session = [] }) => session);
      return method !== 'get' && scopes.some((scope) => scope.includes(':'));
    })
    .map(([, { operationId = '' }]) => operationId)
    .filter((operation) => !NOT_CHANGES.includes(operation))
    .map((operation) => operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  expect(recorded.length).toBeGreaterThan(20);
  const { en, es } = accountActionWords;
  expect(recorded.filter((action) => !(action in en.actions))).toEqual([]);
  expect(Object.keys(es.actions)).toEqual(Object.keys(en.actions));
});
