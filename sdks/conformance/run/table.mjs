const SIGNS = { passed: '✓', failed: '✗', skipped: '–', absent: '○' };

/** The report as a Markdown table, a line per scenario and a column per language. */
export function asTable({ scenarios }) {
  const languages = [...new Set(scenarios.flatMap(({ results }) => Object.keys(results)))];
  const lines = scenarios.map(({ number, letter, title, results }) => {
    const cells = languages.map((language) => SIGNS[results[language]?.status] ?? '');
    return `| ${letter} ${number} | ${title} | ${cells.join(' | ')} |`;
  });
  const head = `| | scenario | ${languages.join(' | ')} |`;
  return [head, `|---|---|${'---|'.repeat(languages.length)}`, ...lines, ''].join('\n');
}
