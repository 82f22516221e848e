// What recheck says of single expressions, remembered: verdicts.json is committed, so that only an expression
// that is new has to be judged (npm run generate writes it); node_modules/.cache remembers what is not
// committed yet. A verdict holds for this file and one version of recheck; whatever changes here, all are
// judged again. A judgement that ran out of time is no verdict: it says as much of the machine as of the
// expression, and is never kept.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** Time for one judgement, in ms; an expression that needs more has to become simpler. */
const JUDGEMENT_MAX_MS = 15_000;

const COMMITTED = fileURLToPath(new URL('verdicts.json', import.meta.url));
const REMEMBERED = fileURLToPath(
  new URL('../../node_modules/.cache/acuse/expressions.json', import.meta.url),
);

const parser = new RegExpParser();
let checkSync;
let known = null;
let unsaved = false;
/** Keys that were asked for in this process: what verdicts.json holds, and nothing else. */
const used = new Set();

/** Null for an expression that is linear (or at most quadratic, where it may be), else what is wrong. */
export function verdictOf(source, flags, mayBeQuadratic, recheck = askRecheck) {
  known ??= new Map([...read(REMEMBERED), ...read(COMMITTED)]);
  const key = `${source}/${flags}/${mayBeQuadratic ? 'quadratic' : 'linear'}`;
  used.add(key);
  const verdict = known.get(key);
  if (verdict !== undefined) return verdict;
  const { found, ranOut } = judgeAnew(key, recheck);
  if (!ranOut) {
    known.set(key, found);
    unsaved = true;
  }
  return found;
}

/** Judges the expression of a key, whatever is known of it. */
export function judgeAnew(key, recheck = askRecheck) {
  const [, source, flags, bound] = /^(.*)\/([a-z]*)\/(linear|quadratic)$/s.exec(key);
  const [plain, kept] = withoutCase(source, flags);
  return verdictIn(recheck(plain, kept.replace(/[gdy]/g, '')), bound === 'quadratic');
}

/**
 * In lower case without `i`: the same judgement in much less time. Not with `u`, where other letters fold
 * too.
 */
function withoutCase(source, flags) {
  if (!flags.includes('i') || /[uv]/.test(flags)) return [source, flags];
  const characters = source.split('');
  visitRegExpAST(parser.parsePattern(source), {
    onCharacterEnter({ raw, start }) {
      if (raw.length === 1) characters[start] = raw.toLowerCase();
    },
  });
  return [characters.join(''), flags.replace('i', '')];
}

function verdictIn({ status, complexity, attack, error }, mayBeQuadratic) {
  if (status === 'safe' || (mayBeQuadratic && complexity?.degree === 2))
    return { found: null, ranOut: false };
  if (status === 'vulnerable')
    return { found: `takes ${complexity.summary} time, as on ${attack.pattern}`, ranOut: false };
  const why = error?.message || error?.kind || 'no answer';
  return { found: `cannot be judged (${why}): make it simpler, or parse`, ranOut: error?.kind === 'timeout' };
}

function askRecheck(source, flags) {
  checkSync ??= loadRecheck();
  return checkSync(source, flags, { checker: 'automaton', timeout: JUDGEMENT_MAX_MS });
}

/**
 * The build in JavaScript: the same answers on every machine. In this thread: synckit 0.9 wakes a caller for
 * the answer before, and then has none.
 */
function loadRecheck() {
  process.env.RECHECK_SYNC_BACKEND = 'pure';
  return createRequire(import.meta.url)('recheck').checkSync;
}

/** Verdicts of earlier runs, as long as the judge is the same. */
function read(path) {
  try {
    const { judge, verdicts } = JSON.parse(readFileSync(path, 'utf8'));
    return judge === judgeId() ? Object.entries(verdicts) : [];
  } catch {
    return [];
  }
}

/** Remembers the verdicts for the next run; what cannot be kept is only judged again. */
export function saveVerdicts() {
  if (!unsaved) return;
  try {
    mkdirSync(dirname(REMEMBERED), { recursive: true });
    writeFileSync(REMEMBERED, textOf(known));
  } catch {}
}

/** verdicts.json, of what was asked for in this process. */
export const verdictsText = () => textOf([...known].filter(([key]) => used.has(key)));

/** What is committed, as [key, verdict]. */
export const committedVerdicts = () => read(COMMITTED);

function textOf(verdicts) {
  const sorted = [...verdicts].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ judge: judgeId(), verdicts: Object.fromEntries(sorted) }, null, 2)}\n`;
}

function judgeId() {
  const { version } = createRequire(import.meta.url)('recheck/package.json');
  return createHash('sha256')
    .update(version)
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .digest('hex');
}
