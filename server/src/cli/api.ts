import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { apiEnvironment } from './api-client.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode } from './command.ts';

/** Next to the bundle, or in dist. */
const PROGRAM_PLACES = ['./acuse-api.mjs', '../../dist/acuse-api.mjs'];

/** The client library's `acuse-api`, which scripts/build.mjs builds next to ours (docs/decisions/0030). */
const api = defineCommand({
  name: 'api',
  summary: 'Calls any operation of the API by its name or its path',
  details: [
    'acuse api --help lists all of them. --data <json>, @file or - is the body; --key the idempotency key of a',
    'send; --all goes through all pages; --output saves a file; --dry-run prints the request and sends nothing.',
    'The API key is ACUSE_API_KEY, or that of the sandbox.',
  ].join(' '),
  raw: true,
  examples: [
    'acuse api messages list --status bounced --json',
    'acuse api GET /v1/account',
    `acuse api messages send --key invoice-7 --data '{"from":"billing@sandbox.test","to":"delivered@sandbox.test","subject":"Invoice 7","text":"Hello."}'`,
  ],
  async run({ args, env }): Promise<ExitCode> {
    const child = spawn(process.execPath, [findProgram(), ...args], {
      stdio: 'inherit',
      env: { ...apiEnvironment(env), ACUSE_API_PROGRAM: 'acuse api' },
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return Object.values(EXIT).find((each) => each === code) ?? EXIT.failed;
  },
});

export const apiCommands: readonly Command[] = [api];

function findProgram(): string {
  const paths = PROGRAM_PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined)
    throw new CommandError(EXIT.failed, 'program_missing', 'acuse-api.mjs is missing: run npm run build');
  return path;
}
