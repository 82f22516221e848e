// The codes of docs/errors.md with their fixes: the table there is what the libraries quote.

/**
 * @param {string} text docs/errors.md
 * @param {string[]} codes ErrorCode of the contract
 * @returns {import('./model.mjs').ErrorCode[]} in the order of the table
 */
export function readErrors(text, codes) {
  const errors = text.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, status, code, doc, fix] = cells;
    return cells.length === 6 && /^[45]\d\d$/.test(status)
      ? [{ code: code.replaceAll('`', ''), status: Number(status), fix: plain(fix), doc: plain(doc) }]
      : [];
  });
  const listed = new Set(errors.map(({ code }) => code));
  const problems = [
    ...codes.filter((code) => !listed.has(code)).map((code) => `has no row for ${code}: add one`),
    ...errors
      .filter(({ code }) => !codes.includes(code))
      .map(({ code }) => `has a row for ${code}, which the contract does not know: remove it`),
  ];
  if (problems.length > 0) throw new Error(problems.map((each) => `docs/errors.md ${each}`).join('\n'));
  return errors;
}

/** Links as their text: an error is read where nothing can be followed. */
function plain(cell) {
  return cell.replace(/\[([^\]]+)\]\(([^)]+)\)/g, 'docs/$2');
}
