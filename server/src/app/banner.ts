import { lineForTerminal } from '../platform/terminal.ts';
import type { SandboxFile } from '../sandbox/sandbox-file.ts';

/** What a start prints: one screen that a newcomer can go on from. Pure. */
export interface BannerFacts {
  version: string;
  baseUrl: string;
  roles: readonly string[];
  delivery: string;
  database: string;
  dataDir: string;
  sandbox: SandboxFile | null;
  /** Whole sentences. */
  warnings: readonly string[];
}

export function banner(facts: BannerFacts): string {
  const lines = [
    '',
    `  Acuse ${facts.version} is ready.`,
    '',
    `  API        ${facts.baseUrl}/v1`,
    `  Reference  ${facts.baseUrl}/docs`,
    `  Database   ${facts.database}`,
    `  Roles      ${facts.roles.join(', ')}`,
    `  Delivery   ${facts.delivery}`,
  ];
  if (facts.sandbox !== null) lines.push(...sandboxLines(facts.sandbox, facts.dataDir));
  for (const warning of facts.warnings) lines.push('', `  WARNING: ${warning}`);
  lines.push('', '  Stop with Ctrl-C.', '');
  // Names, folders and addresses are the environment's: each stays in its line.
  return `${lines.map(lineForTerminal).join('\n')}\n`;
}

function submissionLine({ submission_port: port, submissions_port: tlsPort }: SandboxFile): string[] {
  const ports = [
    port === null ? [] : `${port} (STARTTLS)`,
    tlsPort === null ? [] : `${tlsPort} (TLS)`,
  ].flat();
  return ports.length === 0
    ? []
    : [`  SMTP       127.0.0.1:${ports.join(' and ')}, any user, the API key as password`];
}

function sandboxLines(sandbox: SandboxFile, dataDir: string): string[] {
  return [
    `  Mailbox    ${sandbox.mailbox_url} (SMTP on 127.0.0.1:${sandbox.smtp_port})`,
    ...submissionLine(sandbox),
    `  API key    ${sandbox.api_key}`,
    `  Written to ${dataDir}/sandbox.json`,
    '',
    '  Sandbox: no mail leaves this machine, and constancias are for development only (not NOM-151). Send a first message:',
    '',
    `  curl -sS ${sandbox.base_url}/v1/messages \\`,
    `    -H 'Authorization: Bearer ${sandbox.api_key}' \\`,
    `    -H "Idempotency-Key: $(date +%s%N)" -H 'Content-Type: application/json' \\`,
    `    -d '{"from":"Billing <billing@sandbox.test>","to":"delivered@sandbox.test","subject":"Invoice 1","text":"Hello."}'`,
    '',
    '  What the test mailbox received (requires the key, so the URL alone does not open it in a browser):',
    '',
    `  curl -sS ${sandbox.mailbox_url} -H 'Authorization: Bearer ${sandbox.api_key}'`,
    '',
    '  Or run the whole flow, from send to verified proof:  npx acuse demo',
  ];
}
