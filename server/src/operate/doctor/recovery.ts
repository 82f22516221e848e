import { findState } from '../restore/state-store.ts';
import type { Group } from './examine.ts';
import { fault, ok } from './finding.ts';

const PLACE = ['recovery', 'database'] as const;

export const recovery: Group = async ({ db }) => {
  if (db === null) return [];
  const { pending } = await findState(db);
  if (pending === null) return [ok(...PLACE, 'Nothing has to be released.')];
  return [
    fault(
      'problem',
      PLACE,
      `In recovery since ${pending.since.toISOString()}: nothing is accepted, delivered or sealed. Reason: ${pending.reason}`,
      'run acuse restore check, then acuse restore release (docs/guides/restore.md)',
    ),
  ];
};
