import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.ts';

/**
 * A program of its own, to be started as other users and killed: runs the embedded PostgreSQL on a data
 * folder. Arguments: the folder, and optionally a PATH for its tools. Prints `{url, how}` as JSON once it is
 * up; ends on SIGTERM.
 */
const [dataDir, toolPath] = process.argv.slice(2);
const log = {
  info: () => {},
  error: (fields: object, message: string) => console.error(message, JSON.stringify(fields)),
};

try {
  const server = await startEmbeddedPostgres({
    dataDir: dataDir!,
    command: 'the test',
    kind: 'service',
    log,
    ...(toolPath === undefined ? {} : { toolPath }),
  });
  // Before it says that it is up: who hears that may end it at once.
  process.once('SIGTERM', () => server.stop().then(() => process.exit(0)));
  console.log(JSON.stringify({ url: server.url, how: server.how }));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
