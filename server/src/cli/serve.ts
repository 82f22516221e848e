import { faultsOfFiles } from '../app/faults-of-files.ts';
import { runServer } from '../app/main.ts';
import { loadConfig } from '../config/config.ts';
import { ROLES } from '../config/role-duties.ts';
import { type Command, defineCommand } from './command.ts';
import { PORTS_OPTION, withPorts } from './shared-options.ts';

const serve = defineCommand({
  name: 'serve',
  summary: 'Runs the service until it is stopped (SIGTERM or Ctrl-C)',
  details: 'All state is in PostgreSQL: any number of processes can run any roles on one database.',
  options: {
    roles: {
      type: 'string',
      value: '<roles>',
      doc: `comma-separated, overrides ACUSE_ROLES: ${ROLES.join(', ')}`,
    },
    ...PORTS_OPTION,
  },
  examples: [
    'acuse serve',
    'ACUSE_DATA_DIR=./second acuse serve --ports auto',
    'DATABASE_URL=postgresql://acuse@db.example/acuse acuse serve --roles api,delivery',
  ],
  async run({ options, out, env }) {
    const ported = withPorts(env, options.ports);
    const { config, warnings } = loadConfig(
      options.roles === undefined ? ported : { ...ported, ACUSE_ROLES: options.roles },
      (read) => faultsOfFiles(read, (name) => env[name]),
    );
    for (const warning of warnings) out.note(warning);
    await runServer(config).catch(adviseFreePorts);
  },
});

function adviseFreePorts(error: Error): never {
  if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'EADDRINUSE') throw error;
  throw new Error(`${error.message}, or start with --ports auto`, { cause: error.cause });
}

export const serveCommands: readonly Command[] = [serve];
