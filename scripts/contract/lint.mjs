#!/usr/bin/env node
// contract/openapi.json by the rules of Spectral and Redocly: no error, no warning. `npm run contract:lint`.
import { join } from 'node:path';
import { npmTool, run } from './tools.mjs';

const HERE = new URL('.', import.meta.url).pathname;
const DOCUMENT = join(HERE, '../../contract/openapi.json');

const { spectral, redocly } = { spectral: npmTool('spectral'), redocly: npmTool('redocly') };
run(spectral, ['lint', '--fail-severity', 'hint', '--ruleset', join(HERE, 'spectral.yaml'), DOCUMENT]);
const report = JSON.parse(
  run(redocly, ['lint', '--config', join(HERE, 'redocly.yaml'), '--format', 'json', DOCUMENT], {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
  }),
);
const { errors, warnings } = report.totals;
if (errors + warnings > 0) {
  for (const { ruleId, message, location } of report.problems)
    console.error(`redocly: ${ruleId}: ${message} (${location[0]?.pointer})`);
  process.exitCode = 1;
} else console.log('spectral and redocly: no errors, no warnings');
