import { expect, test } from 'vitest';
import { createFirstFailures } from '../../src/platform/first-failures.ts';

const broken = new Error('column "x" does not exist');
const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

function tellAll() {
  const told: string[] = [];
  const failures = createFirstFailures((key, error) => told.push(`${key}: ${(error as Error).message}`));
  return { told, ...failures };
}

test('a failure is told once, and again only after it worked', () => {
  const { told, failed, worked } = tellAll();
  for (let i = 0; i < 3; i++) failed('a', broken);
  expect(told).toEqual(['a: column "x" does not exist']);
  worked('b');
  failed('a', broken);
  expect(told).toHaveLength(1);
  worked('a');
  failed('a', broken);
  failed('b', broken);
  expect(told.map((line) => line.slice(0, 1))).toEqual(['a', 'a', 'b']);
});

test('what is forgotten and comes again is told again', () => {
  const { told, failed, forget } = tellAll();
  failed('a', broken);
  forget('a');
  failed('a', broken);
  expect(told).toHaveLength(2);
});

test('a database that is away is told once, however many look', () => {
  const { told, failed, worked } = tellAll();
  for (let i = 0; i < 5; i++) failed(`account ${i}`, away);
  expect(told).toEqual(['account 0: connect ECONNREFUSED']);
  worked('account 3');
  failed('account 1', away);
  expect(told).toHaveLength(2);
});
