#!/usr/bin/env node
/** acuse-mcp: over stdio with the key of the environment, or over HTTP with that of each request. */
import { ConfigurationError } from '@acuse/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { readConfig, SettingError } from './config.ts';
import { serveHttp } from './http.ts';
import { createServer } from './server.ts';
import { openSession } from './session.ts';
import { VERSION } from './version.ts';

const USAGE = `acuse-mcp ${VERSION}: MCP server of Acuse

  acuse-mcp                       speaks MCP over stdio, with the key in ACUSE_API_KEY
  acuse-mcp --http 127.0.0.1:8026 speaks Streamable HTTP at /mcp; each request brings its own key or token

ACUSE_URL                 the service
ACUSE_MCP_RECIPIENTS      to whom agents may write: addresses and @domains, or *; required outside a sandbox
ACUSE_MCP_FROM            as whom they may write: addresses and @domains; default: the account's senders
ACUSE_MCP_CONFIRM         ask (default): a person confirms; preview: enough where the client cannot ask
ACUSE_MCP_PER_HOUR        messages in an hour; default 20
ACUSE_MCP_CENTS_PER_DAY   what they may cost in 24 hours; default 0: free messages only
ACUSE_MCP_FILES           folder for attachments and proof bundles; stdio only
ACUSE_MCP_POLICY          JSON file that says whom verify_bundle trusts
ACUSE_MCP_SECRET          signs previews; at least 32 bytes; default: random at each start
ACUSE_MCP_HOSTS           host names for HTTP besides those of this machine
ACUSE_MCP_URL             the address of this server for OAuth, the same as in the service: https://mcp.example.com/mcp
`;

const log = (line: string) => process.stderr.write(`acuse-mcp: ${line}\n`);

async function main(args: readonly string[]): Promise<void> {
  const [option, value] = args;
  if (option === '--help' || option === '-h') {
    process.stdout.write(USAGE);
    return;
  }
  const config = readConfig(process.env);
  if (option === '--http' && value !== undefined && args.length === 2) {
    const { url } = await serveHttp(config, value, log);
    log(`listening at ${url}`);
    return;
  }
  if (args.length > 0) throw new SettingError(`unknown arguments: ${args.join(' ')}. See acuse-mcp --help.`);
  const session = openSession({ apiKey: process.env['ACUSE_API_KEY'], config, way: 'stdio', log });
  serveStdio(() => createServer(session), { onerror: (error) => log(`connection: ${error.name}`) });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof SettingError || error instanceof ConfigurationError;
  log(known ? error.message : `failed: ${error instanceof Error ? error.message : 'unknown'}`);
  process.exitCode = 2;
});
