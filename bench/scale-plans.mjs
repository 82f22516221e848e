// What PostgreSQL tells of every statement: the buffers that it touched, its time, its plan (auto_explain).
import { appendFileSync, readFileSync } from 'node:fs';
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

/**
 * By text: how often each statement ran, and the run that touched most: {text, calls, buffers, ms, plan}. The
 * log has a plan as one entry, whose lines after the first begin with a tab.
 */
export function readPlans(path) {
  const found = new Map();
  const entries = readFileSync(path, 'utf8').split(/\n(?!\t)/);
  for (const entry of entries) {
    const match = /duration: ([\d.]+) ms {2}plan:\n([\s\S]*)$/.exec(entry);
    if (match === null) continue;
    const { 'Query Text': query, Plan: plan } = JSON.parse(match[2].replaceAll('\n\t', '\n'));
    const text = query.replace(/\s+/g, ' ').trim();
    const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    const before = found.get(text) ?? { text, calls: 0, buffers: -1 };
    found.set(text, {
      ...before,
      calls: before.calls + 1,
      ...(buffers > before.buffers && { buffers, ms: Number(match[1]), plan: inWords(plan, 0) }),
    });
  }
  return found;
}

function inWords(plan, depth) {
  const on = plan['Index Name'] ?? plan['Relation Name'] ?? plan['CTE Name'] ?? '';
  const touched = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  const own = `${'  '.repeat(depth)}${plan['Node Type']} ${on}: ${plan['Actual Rows']} rows × ${plan['Actual Loops']}, ${touched} buffers`;
  return [own, ...(plan['Plans'] ?? []).map((each) => inWords(each, depth + 1))].join('\n');
}
