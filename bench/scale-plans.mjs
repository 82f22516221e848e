// PostgreSQL's account of every statement: the buffers that it touched, its time, its plan (auto_explain).
import { appendFileSync, closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  // Plans only: values may be long.
  'auto_explain.log_parameter_max_length': '0',
};

/** From the next start of the embedded database in this folder on. */
export function tellPlans(dataDir) {
  const path = join(dataDir, 'postgres', 'postgresql.conf');
  const lines = Object.entries(SETTINGS).map(([name, value]) => `${name} = '${value}'\n`);
  if (!readFileSync(path, 'utf8').includes('auto_explain')) appendFileSync(path, `\n${lines.join('')}`);
}

/** Where the log ends now. */
export const endOf = (path) => statSync(path).size;

/** The log is written in pieces: an entry that is cut is read again after so long, so often (ms). */
const AGAIN_MS = 20;
const AGAIN_MAX = 100;

/**
 * The statements in the log from one place on: {text, buffers, ms, plan} each. The log has a plan as one
 * entry, whose lines after the first begin with a tab.
 */
export async function readPlans(path, from = 0) {
  for (let again = 0; ; again++) {
    const { found, isCut } = readEntries(path, from);
    if (!isCut) return found;
    if (again === AGAIN_MAX) throw new Error(`${path} ends within a plan`);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

function readEntries(path, from) {
  const bytes = Buffer.alloc(endOf(path) - from);
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
  const found = [];
  const entries = bytes.toString('utf8').split(/\n(?!\t)/);
  if (entries.at(-1) === '') entries.pop();
  for (const entry of entries) {
    const match = /duration: ([\d.]+) ms {2}plan:\n([\s\S]*)$/.exec(entry);
    if (match === null) continue;
    // The brace that closes a plan stands alone, behind the tab.
    if (!/\n\t\}\s*$/.test(match[2])) {
      // Another process wrote into the middle of one that is not the last: it is left out.
      if (entry === entries.at(-1)) return { found, isCut: true };
      continue;
    }
    const { 'Query Text': query, Plan: plan } = JSON.parse(match[2].replaceAll('\n\t', '\n'));
    const text = query.replace(/\s+/g, ' ').trim();
    found.push({ text, buffers: touchedBy(plan), ms: Number(match[1]), plan });
  }
  return { found, isCut: false };
}

const touchedBy = (plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

/** A line for each node. */
export function inWords(plan, depth = 0) {
  const on = plan['Index Name'] ?? plan['Relation Name'] ?? plan['CTE Name'] ?? '';
  const { 'Actual Rows': rows, 'Actual Loops': loops } = plan;
  const own = `${'  '.repeat(depth)}${plan['Node Type']} ${on}: ${rows} rows × ${loops}, ${touchedBy(plan)} buffers`;
  return [own, ...(plan.Plans ?? []).map((each) => inWords(each, depth + 1))].join('\n');
}
