import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { clientsPage, conformanceTable, recorded, withTable } from './clients-table.mjs';

const LANGUAGES = { go: { title: 'Go', shim: [] }, php: { title: 'PHP', shim: [] } };
const scenario = (number: number, title: string, results: object) => ({ number, title, results });

test('a row for each scenario, a column for each language', () => {
  const scenarios = [
    scenario(1, 'a key of its own', { go: { status: 'passed' }, php: { status: 'failed' } }),
    scenario(2, 'a | in its title', { go: { status: 'skipped' } }),
  ];
  expect(conformanceTable({ scenarios }, LANGUAGES)).toEqual([
    '|  | scenario | Go | PHP |',
    '|---|---|---|---|',
    '| 1 | a key of its own | yes | **no** |',
    '| 2 | a \\| in its title | skipped | not run |',
  ]);
});

test('a scenario that occurs twice, and a page without its marks', () => {
  const scenarios = [scenario(1, 'a', {}), scenario(1, 'b', {})];
  expect(() => conformanceTable({ scenarios }, LANGUAGES)).toThrow(/scenario 1 occurs twice/);
  expect(() => withTable('# Client libraries\n', null)).toThrow(/lacks the marks/);
});

test('what is recorded is the same however long a run took, and has no language that did not run', () => {
  const results = { go: { status: 'passed', ms: 12 }, php: { status: 'skipped', reason: 'not written' } };
  const report = {
    scenarios: [{ ...scenario(1, 'a', results), letter: 'A' }],
    skipped: { php: 'not written' },
  };
  expect(JSON.parse(recorded(report))).toEqual({
    scenarios: [{ number: 1, letter: 'A', title: 'a', results: { go: { status: 'passed' } } }],
  });
});

test('a run of one language leaves what is recorded of the others', () => {
  const before = { scenarios: [scenario(1, 'a', { go: { status: 'passed' }, php: { status: 'failed' } })] };
  const report = { scenarios: [scenario(1, 'a', { php: { status: 'passed' } }), scenario(2, 'b', {})] };
  const [first, second] = JSON.parse(recorded(report, before)).scenarios;
  expect(first.results).toEqual({ go: { status: 'passed' }, php: { status: 'passed' } });
  expect(second.results).toEqual({});
});

test('a further surface of a library is a column of its own', () => {
  const languages = { go: { title: 'Go', shim: ['go'], variants: { async: { title: 'Go, async' } } } };
  const results = { go: { status: 'passed' }, 'go-async': { status: 'same' } };
  expect(conformanceTable({ scenarios: [scenario(1, 'a', results)] }, languages)).toEqual([
    '|  | scenario | Go | Go, async |',
    '|---|---|---|---|',
    '| 1 | a | yes | same |',
  ]);
});

test('writing the table again changes nothing', () => {
  const [, page] = clientsPage();
  const table = ['| a |', '|---|'];
  const once = withTable(page, table);
  expect(once).toContain('| a |\n|---|\n<!-- end of conformance -->');
  expect(withTable(once, table)).toBe(once);
});
