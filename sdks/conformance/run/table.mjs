const SIGNS = { passed: '✓', failed: '✗', skipped: '–', absent: '○', same: '=' };

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

/** Mutants and the scenarios that caught them, with the first line of why. */
export function mutantTable(mutants) {
  const lines = mutants.map(({ number, letter, what, caught }) => {
    const why = caught === null ? '**not caught**' : caught.split('\n')[0].slice(0, 90);
    return `| ${letter} ${number} | ${what} | ${why.replaceAll('|', '\\|')} |`;
  });
  return ['| scenario | a library that | |', '|---|---|---|', ...lines].join('\n');
}
