import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';
import { lineForTerminal } from '../platform/terminal.ts';
import { MAGIC_NAMES } from '../sandbox/behaviour.ts';
import type { SandboxFile } from '../sandbox/sandbox-file.ts';

/** The start screen. Pure. */
export interface BannerFacts {
  version: string;
  baseUrl: string;
  roles: readonly string[];
  delivery: string;
  database: string;
  dataDir: string;
  sandbox: SandboxFile | null;
  admin: { url: string; signIn: string | null; hasNobody: boolean } | null;
  authorities: readonly string[] | null;
  ports: { submission: number | null; submissions: number | null; returnPath: number | null };
  /** Where this process itself answers, whatever it is called outside. */
  ownUrl: string;
  command: string;
  recovering: boolean;
  managed: boolean;
  warnings: readonly string[];
}

export function banner(facts: BannerFacts): string {
  const lines = [
    '',
    facts.recovering
      ? `  Acuse ${facts.version} is in recovery: it changes nothing until the database is released.`
      : `  Acuse ${facts.version} is ready.`,
    '',
    ...apiLines(facts),
    ...portalLines(facts),
    ...adminLines(facts),
    `  Database   ${facts.database}`,
    `  Roles      ${facts.roles.join(', ')}`,
    `  Delivery   ${facts.delivery}`,
  ];
  lines.push(...(facts.sandbox === null ? realLines(facts) : sandboxLines(facts.sandbox, facts)));
  for (const warning of facts.warnings) lines.push('', `  WARNING: ${warning}`);
  if (!facts.managed) lines.push('', '  Stop with Ctrl-C.');
  lines.push('');
  // Environment values stay on one line.
  return `${lines.map(lineForTerminal).join('\n')}\n`;
}

function apiLines({ baseUrl, ownUrl, roles }: BannerFacts): string[] {
  if (roles.includes('api'))
    return [`  API        ${baseUrl}/v1`, `  Reference  ${baseUrl}/docs`, `  Verify     ${baseUrl}/verify`];
  return roles.includes('portal') ? [] : [`  Health     ${ownUrl}/readyz`];
}

function portalLines({ baseUrl, roles, sandbox }: BannerFacts): string[] {
  if (!roles.includes('portal')) return [];
  const link = sandbox?.portal_sign_in ?? null;
  return [
    `  Portal     ${baseUrl}/portal`,
    ...(link === null ? [] : [`             sign in once with ${link}`]),
  ];
}

function adminLines({ admin, command }: BannerFacts): string[] {
  if (admin === null) return [];
  const first = firstOperator(admin, command);
  return [`  Admin      ${admin.url}`, ...(first === null ? [] : [`             ${first}`])];
}

function firstOperator(
  { signIn, hasNobody }: NonNullable<BannerFacts['admin']>,
  command: string,
): string | null {
  if (signIn !== null) return `sign in once with ${signIn}`;
  return hasNobody ? `no operator yet: ${command} operators link prints the first one's link` : null;
}

/** Fits 110 columns. */
const MAGIC_PER_LINE = 4;

function submissionLine({ submission_port: port, submissions_port: tlsPort }: SandboxFile): string[] {
  const ports = portsText(port, tlsPort);
  return ports === '' ? [] : [`  SMTP       127.0.0.1:${ports}, any user, the API key as password`];
}

function portsText(port: number | null, tlsPort: number | null): string {
  return [
    ...(port === null ? [] : [`${port} (STARTTLS)`]),
    ...(tlsPort === null ? [] : [`${tlsPort} (TLS)`]),
  ].join(' and ');
}

/**
 * For an installation that sends: where it takes mail, who seals, where its data is, and what shows whether
 * its mail will arrive.
 */
function realLines({ dataDir, command, recovering, ports, authorities, roles }: BannerFacts): string[] {
  const next = `  Next: ${command} doctor, which checks DNS, ports and certificates and says what to repair.`;
  const submission = portsText(ports.submission, ports.submissions);
  return [
    ...(submission === '' ? [] : [`  SMTP       port ${submission}, any user, an API key as password`]),
    ...(ports.returnPath === null ? [] : [`  Bounces    port ${ports.returnPath} (SMTP)`]),
    ...(roles.includes('sealing') ? [`  Authority  ${authorities?.join(', ') ?? DEVELOPMENT}`] : []),
    `  Data       ${dataDir}`,
    ...(recovering ? [] : ['', next]),
  ];
}

const DEVELOPMENT = 'the development authority, whose constancias prove nothing (ACUSE_TSA_MANIFESTS)';

function sandboxLines(sandbox: SandboxFile, { dataDir, command }: BannerFacts): string[] {
  return [
    `  Mailbox    ${sandbox.mailbox_url} (SMTP on 127.0.0.1:${sandbox.smtp_port})`,
    ...submissionLine(sandbox),
    `  Bounces    127.0.0.1:${sandbox.return_path_port} (SMTP)`,
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
    '  What the test mailbox received, in a browser (the part after # stays there), and as JSON:',
    '',
    `  ${sandbox.mailbox_url}#${sandbox.api_key}`,
    `  curl -sS ${sandbox.mailbox_url} -H 'Authorization: Bearer ${sandbox.api_key}'`,
    '',
    '  Recipients behave as their name says, with or without a +tag (bounced+order42@sandbox.test):',
    ...MAGIC_LINES,
    '',
    `  The whole flow, from send to verified proof:  ${command} demo`,
  ];
}

const MAGIC_LINES = inLines(MAGIC_NAMES.map((name) => `${name}@${SANDBOX_DOMAIN}`));

function inLines(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < words.length; at += MAGIC_PER_LINE)
    lines.push(`    ${words.slice(at, at + MAGIC_PER_LINE).join('  ')}`);
  return lines;
}
