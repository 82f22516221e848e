// The table of sdks/conformance/RESULTS.md: scenario × language, from the last recorded run of the suite.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { columnsOf } from '../sdks/conformance/run/columns.mjs';
import { scenarios } from '../sdks/conformance/scenarios/index.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PAGE = 'sdks/conformance/RESULTS.md';
/** Written by `npm run clients -- --record`. */
export const RESULTS = 'sdks/conformance/results.json';
const BEGIN = /<!-- conformance: [^\n]*-->\n/;
const END = '<!-- end of conformance -->';
const MARKS = { passed: 'yes', failed: '**no**', skipped: 'skipped', absent: 'not built', same: 'same' };

/**
 * A report of the suite as a file that is the same whenever its findings are: no times, no reasons.
 * @param before what was recorded, of which the languages that did not run now are kept
 */
export function recorded({ scenarios: run, skipped = {} }, before = { scenarios: [] }) {
  const lines = run.map(({ number, letter, title, results }) => {
    const kept = before.scenarios.find((each) => each.number === number)?.results ?? {};
    const found = Object.entries(results)
      .filter(([language]) => skipped[language] === undefined)
      .map(([language, { status }]) => [language, { status }]);
    const all = { ...kept, ...Object.fromEntries(found) };
    return `  ${JSON.stringify({ number, letter, title, results: all })}`;
  });
  return `{\n "scenarios": [\n${lines.join(',\n')}\n ]\n}\n`;
}

/** That page as it should be, as [path, text]. */
export function clientsPage() {
  const page = readFileSync(join(root, PAGE), 'utf8');
  const results = existsSync(join(root, RESULTS))
    ? JSON.parse(readFileSync(join(root, RESULTS), 'utf8'))
    : null;
  const { languages } = JSON.parse(readFileSync(join(root, 'sdks/names.json'), 'utf8'));
  if (results === null) return [PAGE, withTable(page, null)];
  return [PAGE, withTable(page, conformanceTable(asOfNow(results), languages))];
}

/** The scenarios that there are now, with what was found of them. */
function asOfNow(results) {
  return {
    scenarios: scenarios.map(({ number, letter, title }) => ({
      ...{ number, letter, title },
      results: results.scenarios.find((each) => each.number === number)?.results ?? {},
    })),
  };
}

/** `table`: lines; null while no run is recorded. */
export function withTable(page, table) {
  const begin = BEGIN.exec(page);
  const end = page.indexOf(END);
  if (begin === null || end < begin.index)
    throw new Error(`${PAGE}: lacks the marks of the conformance table`);
  const text = table === null ? 'No run is recorded yet.' : table.join('\n');
  return `${page.slice(0, begin.index + begin[0].length)}${text}\n${page.slice(end)}`;
}

/**
 * @param {{scenarios: {number: number, letter?: string, title: string,
 *   results: Record<string, {status: string}>}[]}} results
 * @param {Record<string, {title: string}>} languages of sdks/names.json
 */
export function conformanceTable({ scenarios: rows }, languages) {
  const columns = columnsOf(languages);
  const row = (...cells) => `| ${cells.join(' | ')} |`;
  const seen = new Set();
  return [
    row('', 'scenario', ...columns.map(({ title }) => title)),
    `|${'---|'.repeat(columns.length + 2)}`,
    ...rows.map(({ number, letter = '', title, results }) => {
      if (seen.has(number)) throw new Error(`${RESULTS}: scenario ${number} occurs twice`);
      seen.add(number);
      return row(
        `${letter} ${number}`.trim(),
        title.replaceAll('|', '\\|'),
        ...columns.map(({ name }) => MARKS[results[name]?.status] ?? 'not run'),
      );
    }),
  ];
}
