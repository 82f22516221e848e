#!/usr/bin/env node
// The OpenAPI documents of contract/ by the rules of Spectral and Redocly: no error, no warning.
// `npm run contract:lint`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmTool, run } from './tools.mjs';

const HERE = new URL('.', import.meta.url).pathname;
const CONTRACT = join(HERE, '../../contract');
const DOCUMENTS = readdirSync(CONTRACT)
  .filter((name) => name.endsWith('.json'))
  .map((name) => join(CONTRACT, name))
  .filter((path) => JSON.parse(readFileSync(path, 'utf8')).openapi !== undefined);

const { spectral, redocly } = { spectral: npmTool('spectral'), redocly: npmTool('redocly') };
run(spectral, ['lint', '--fail-severity', 'hint', '--ruleset', join(HERE, 'spectral.yaml'), ...DOCUMENTS]);
for (const document of DOCUMENTS) lintByRedocly(document);
if (process.exitCode === undefined)
  console.log(`spectral and redocly: no errors, no warnings in ${DOCUMENTS.length} documents`);

function lintByRedocly(document) {
  const report = JSON.parse(
    run(redocly, ['lint', '--config', join(HERE, 'redocly.yaml'), '--format', 'json', document], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
    }),
  );
  if (report.totals.errors + report.totals.warnings === 0) return;
  for (const { ruleId, message, location } of report.problems)
    console.error(`redocly: ${document}: ${ruleId}: ${message} (${location[0]?.pointer})`);
  process.exitCode = 1;
}
