import { hostname as systemHostname } from 'node:os';
import { resolve } from 'node:path';
import { CERTIFICATE_VARIABLES } from './certificate-variables.ts';
import {
  boolean,
  currencyCode,
  dnsServer,
  duration,
  filePath,
  hostname,
  integer,
  listenHost,
  listOf,
  logOrigin,
  masterKey,
  network,
  oneOf,
  port,
  proxyAddress,
  senderAddress,
  smarthost,
  someOf,
  sourcePool,
  text,
  webUrl,
} from './config-values.ts';
import { DATABASE_VARIABLES } from './database-variables.ts';
import { LIMIT_VARIABLES } from './limit-variables.ts';
import { OUTSIDE_VARIABLES } from './outside-variables.ts';
import { ROLES } from './role-duties.ts';
import { TRACING_VARIABLES } from './tracing-variables.ts';
import type { Known, Variables } from './variable.ts';

/** Código de Comercio, article 49: what a merchant's messages say is kept for ten years. */
const CERTIFIED_YEARS_MIN = 10;
const CERTIFIED_YEARS_MAX = 100;

const API_PORT = 8025;
const isSandbox = (known: Known): boolean => known.delivery === 'sandbox';

/** Mail servers expect a name with a dot. */
function ownHostname(): string | undefined {
  const name = hostname.parse(systemHostname());
  return name?.includes('.') === true ? name : undefined;
}

/** Without the roles api and portal the port serves only health. */
function apiPort({ roles, port: own }: Known): number {
  const serves = roles.includes('api') || roles.includes('portal');
  return serves || own === 0 ? own : API_PORT;
}

/** Passwords need TLS: without an own certificate nothing is served. */
function submissionDefault(known: Known, sandboxPort: string, port: string): string | undefined {
  if (isSandbox(known)) return sandboxPort;
  return known.tlsCertFile === null ? undefined : port;
}

/** A second sandbox on a machine needs other ports. */
export const LISTENER_PORTS = [
  'ACUSE_PORT',
  'ACUSE_ADMIN_PORT',
  'ACUSE_SANDBOX_SMTP_PORT',
  'ACUSE_RETURN_PATH_PORT',
  'ACUSE_SUBMISSION_PORT',
  'ACUSE_SUBMISSIONS_PORT',
] as const;

export const VARIABLES = {
  smarthost: {
    name: 'ACUSE_SMARTHOST',
    group: 'delivery',
    type: smarthost,
    doc: 'Relay for all mail: smtp:// (STARTTLS) or smtps://.',
    optional: true,
    secret: 'password',
  },
  delivery: {
    name: 'ACUSE_DELIVERY',
    group: 'delivery',
    type: oneOf('sandbox', 'direct', 'smarthost'),
    doc: "Where mail goes: the built-in test mailbox (no mail leaves the machine), the recipients' servers, or ACUSE_SMARTHOST. Default: smarthost where ACUSE_SMARTHOST is set, else sandbox.",
    default: (known) => (known.smarthost === null ? 'sandbox' : 'smarthost'),
  },
  roles: {
    name: 'ACUSE_ROLES',
    group: 'process',
    type: someOf(...ROLES),
    doc: 'Roles of this process. Any number of processes can run each role.',
    default: ROLES.join(','),
  },
  port: {
    name: 'ACUSE_PORT',
    group: 'http',
    type: port,
    doc: 'Port of the HTTP API. 0: any free port.',
    default: String(API_PORT),
  },
  host: {
    name: 'ACUSE_HOST',
    group: 'http',
    type: listenHost,
    doc: 'Address that the HTTP API listens on. Put a TLS proxy in front of it before you expose it (0.0.0.0 or ::).',
    default: '127.0.0.1',
  },
  metricsPort: {
    name: 'ACUSE_METRICS_PORT',
    group: 'http',
    type: port,
    doc: 'Port that serves only /metrics. Without it everybody who reaches the API reads /metrics, which requires no key.',
    optional: true,
  },
  metricsHost: {
    name: 'ACUSE_METRICS_HOST',
    group: 'http',
    type: listenHost,
    doc: 'Address that ACUSE_METRICS_PORT listens on.',
    default: '127.0.0.1',
  },
  publicUrl: {
    name: 'ACUSE_PUBLIC_URL',
    group: 'http',
    type: webUrl,
    doc: 'Public URL of the API, used in links and printed commands.',
    default: (known) => `http://localhost:${apiPort(known)}`,
  },
  adminHost: {
    name: 'ACUSE_ADMIN_HOST',
    group: 'console',
    type: listenHost,
    doc: 'Address that the admin console listens on. On this machine a password is enough; anywhere else operators need a second factor, and it needs TLS in front of it.',
    default: '127.0.0.1',
  },
  adminPort: {
    name: 'ACUSE_ADMIN_PORT',
    group: 'console',
    type: port,
    doc: 'Port of the admin console. 0: any free port.',
    default: '8030',
  },
  adminUrl: {
    name: 'ACUSE_ADMIN_URL',
    group: 'console',
    type: webUrl,
    doc: 'URL of the admin console: sign-in links name it, and no other host gets a session.',
    default: (known) => `http://localhost:${known.adminPort}`,
  },
  trustProxy: {
    name: 'ACUSE_TRUST_PROXY',
    group: 'http',
    type: listOf(proxyAddress),
    doc: 'Proxies whose X-Forwarded-For is trusted. Without it, the client is the address of the connection.',
    optional: true,
  },
  dataDir: {
    name: 'ACUSE_DATA_DIR',
    group: 'storage',
    type: filePath,
    doc: 'Folder of the embedded PostgreSQL, master.key, acuse.env and sandbox.json.',
    default: './.acuse',
  },
  ...DATABASE_VARIABLES,
  masterKeys: {
    name: 'ACUSE_MASTER_KEY',
    group: 'storage',
    type: listOf(masterKey),
    doc: 'Key that encrypts secrets at rest. Several, comma-separated: the first encrypts, all decrypt. Default: master.key in the data folder, created at the first start. All servers on one database need the same keys.',
    optional: true,
    secret: 'hidden',
  },
  masterKeyCommand: {
    name: 'ACUSE_MASTER_KEY_COMMAND',
    group: 'storage',
    type: filePath,
    doc: 'Program that prints the master key, unwrapped with a PKCS#11 token or a key service, in place of ACUSE_MASTER_KEY. Each start and each command that needs the key runs it, without arguments or a shell, for 10 s at most.',
    optional: true,
  },
  stopDelayMs: {
    name: 'ACUSE_STOP_DELAY',
    group: 'process',
    type: duration(0, 60_000),
    doc: 'How long a stopping process goes on serving while /readyz answers 503, so that balancers notice. A stop then takes 10 s more at most.',
    default: '0s',
  },
  logLevel: {
    name: 'ACUSE_LOG_LEVEL',
    group: 'process',
    type: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    doc: 'Minimum severity of the log lines on standard error.',
    default: 'info',
  },
  logFormat: {
    name: 'ACUSE_LOG_FORMAT',
    group: 'process',
    type: oneOf('auto', 'json', 'pretty'),
    doc: 'How log lines are written. json: one document a line; pretty: for people, in colour unless NO_COLOR is set, an error without its stack; auto: pretty on a terminal, else json.',
    default: 'auto',
  },
  ...TRACING_VARIABLES,
  hostname: {
    name: 'ACUSE_HOSTNAME',
    group: 'delivery',
    type: hostname,
    doc: "Host name of this server in SMTP (EHLO), to which bounces return. For direct delivery its address must resolve back to it. Default: the machine's name if it has a dot, else localhost; direct delivery requires one.",
    default: (known) => ownHostname() ?? (known.delivery === 'direct' ? undefined : 'localhost'),
  },
  systemSender: {
    name: 'ACUSE_SYSTEM_SENDER',
    group: 'delivery',
    type: senderAddress,
    doc: "From of Acuse's own mail: invitations, links for new passwords, notices. Its domain is verified like any other, in an account of its own. Without it, people hand links over.",
    default: (known) => (isSandbox(known) ? 'Acuse <portal@acuse.sandbox.test>' : undefined),
    optional: true,
  },
  roleMailTo: {
    name: 'ACUSE_ROLE_MAIL_TO',
    group: 'delivery',
    type: senderAddress,
    doc: "Address that gets letters and complaints to postmaster, abuse and fbl, each attached to a mail from ACUSE_SYSTEM_SENDER. The console's role mailbox keeps them as well.",
    optional: true,
  },
  dnsServers: {
    name: 'ACUSE_DNS_SERVERS',
    group: 'delivery',
    type: listOf(dnsServer),
    doc: 'DNS servers for mail routing and domain checks. Default: those of the system.',
    optional: true,
  },
  smtpPort: {
    name: 'ACUSE_SMTP_PORT',
    group: 'delivery',
    type: integer(1, 65_535, 'a port'),
    doc: "Port of the recipients' servers in direct mode. Values other than 25 are for test networks.",
    default: '25',
  },
  sourcePools: {
    name: 'ACUSE_SOURCE_POOLS',
    group: 'delivery',
    type: listOf(sourcePool),
    doc: 'Source pools for direct mail: each has an EHLO name and addresses of this machine. acuse tenants update --source-pool assigns accounts; the pool named default serves the others. A pool given several times uses its addresses in turn.',
    optional: true,
  },
  privateNetworks: {
    name: 'ACUSE_PRIVATE_NETWORKS',
    group: 'delivery',
    type: listOf(network),
    doc: 'Networks outside the public Internet to which direct mail may go. Mail to a domain whose mail hosts have only other private, loopback or special addresses is refused.',
    optional: true,
  },
  sandboxSmtpPort: {
    name: 'ACUSE_SANDBOX_SMTP_PORT',
    group: 'smtp',
    type: port,
    doc: "Port of the sandbox's test mailbox, on loopback. 0: any free port.",
    default: '8026',
  },
  returnPathHost: {
    name: 'ACUSE_RETURN_PATH_HOST',
    group: 'smtp',
    type: listenHost,
    doc: 'Address of the listener for bounces and complaints.',
    default: (known) => (isSandbox(known) ? '127.0.0.1' : '::'),
  },
  returnPathPort: {
    name: 'ACUSE_RETURN_PATH_PORT',
    group: 'smtp',
    type: port,
    doc: 'Port of the listener for bounces and complaints. Other mail servers connect to port 25.',
    default: (known) => (isSandbox(known) ? '8027' : '25'),
  },
  ...CERTIFICATE_VARIABLES,
  submissionHost: {
    name: 'ACUSE_SUBMISSION_HOST',
    group: 'smtp',
    type: listenHost,
    doc: 'Address of the listeners for SMTP submission.',
    default: (known) => (isSandbox(known) ? '127.0.0.1' : '::'),
  },
  submissionPort: {
    name: 'ACUSE_SUBMISSION_PORT',
    group: 'smtp',
    type: port,
    doc: 'Port of SMTP submission with STARTTLS; the password is an API key. Outside the sandbox it requires a certificate.',
    default: (known) => submissionDefault(known, '8028', '587'),
    optional: true,
  },
  submissionsPort: {
    name: 'ACUSE_SUBMISSIONS_PORT',
    group: 'smtp',
    type: port,
    doc: 'Port of SMTP submission with TLS from the first byte.',
    default: (known) => submissionDefault(known, '8029', '465'),
    optional: true,
  },
  logOrigin: {
    name: 'ACUSE_LOG_ORIGIN',
    group: 'evidence',
    type: logOrigin,
    doc: 'Permanent name of the evidence log, a part of each proof: the URL, without scheme, at which you would publish it.',
    default: (known) => (isSandbox(known) ? 'sandbox.test/log' : undefined),
  },
  ...OUTSIDE_VARIABLES,
  sealIntervalMs: {
    name: 'ACUSE_SEAL_INTERVAL',
    group: 'evidence',
    type: duration(100, 86_400_000),
    doc: 'How often certified messages are batched and time-stamped.',
    default: (known) => (isSandbox(known) ? '1s' : '10s'),
  },
  renewBeforeMs: {
    name: 'ACUSE_RENEW_BEFORE',
    group: 'evidence',
    type: duration(86_400_000, 10 * 365 * 86_400_000),
    doc: 'How long before the first certificate of its chain ends a constancia is renewed.',
    default: '90d',
  },
  plainRetentionDays: {
    name: 'ACUSE_PLAIN_RETENTION_DAYS',
    group: 'retention',
    type: integer(1, 36_500, 'a number of days'),
    doc: 'Days from acceptance that the content of plain messages is kept. ACUSE_PLAIN_RECORD_DAYS is for their records.',
    default: '90',
  },
  plainRecordDays: {
    name: 'ACUSE_PLAIN_RECORD_DAYS',
    group: 'retention',
    type: integer(1, 36_500, 'a number of days'),
    doc: 'Days from acceptance that the record of a plain message (addresses, subject, status, events, attempts) is kept, never shorter than the content. acuse tenants update --plain-record-days sets another period for an account.',
    default: '400',
  },
  certifiedRetentionYears: {
    name: 'ACUSE_CERTIFIED_RETENTION_YEARS',
    group: 'retention',
    type: {
      ...integer(CERTIFIED_YEARS_MIN, CERTIFIED_YEARS_MAX),
      expected: `${CERTIFIED_YEARS_MIN} to ${CERTIFIED_YEARS_MAX} years: the law requires at least ${CERTIFIED_YEARS_MIN}`,
    },
    doc: 'Years from the last event that the evidence of certified messages is protected. Nothing deletes it automatically after that either.',
    default: String(CERTIFIED_YEARS_MIN),
  },
  currency: {
    name: 'ACUSE_CURRENCY',
    group: 'retention',
    type: currencyCode,
    doc: 'Currency of prices and costs (ISO 4217): a label, nothing is converted.',
    default: 'MXN',
  },
  authorities: {
    name: 'ACUSE_TSA_MANIFESTS',
    group: 'evidence',
    type: listOf({ expected: 'manifest files (JSON)', parse: (value) => resolve(value) }),
    doc: 'Time-stamping authorities: one manifest each (see docs/operating.md), the preferred one first. Default: the embedded development authority, whose time-stamps prove nothing in court.',
    optional: true,
  },
  witnessesFile: {
    name: 'ACUSE_WITNESSES',
    group: 'evidence',
    type: { expected: 'a file (JSON)', parse: (value) => resolve(value) },
    doc: 'Witnesses that cosign checkpoints (C2SP tlog-witness), and how many should: see docs/operating.md. Default: none.',
    optional: true,
  },
  ...LIMIT_VARIABLES,
  webhookAllowPrivate: {
    name: 'ACUSE_WEBHOOK_ALLOW_PRIVATE',
    group: 'webhooks',
    type: boolean,
    doc: 'In the sandbox: allows webhooks to this machine, and over http. With real delivery it holds only for addresses listed in ACUSE_WEBHOOK_NETWORKS, because every account could then reach what listens here.',
    default: 'false',
  },
  webhookNetworks: {
    name: 'ACUSE_WEBHOOK_NETWORKS',
    group: 'webhooks',
    type: listOf(network),
    doc: 'Networks and addresses that are not public, to which webhooks of every account may lead over https. Default: none.',
    optional: true,
  },
  apiUrl: {
    name: 'ACUSE_URL',
    group: 'commands',
    read: 'by_commands',
    type: webUrl,
    doc: 'Service that acuse messages and acuse webhooks use. Default: the sandbox in the data folder.',
    optional: true,
  },
  apiKey: {
    name: 'ACUSE_API_KEY',
    group: 'commands',
    read: 'by_commands',
    type: text,
    doc: 'API key that acuse messages and acuse webhooks use. Default: that of the sandbox.',
    optional: true,
    secret: 'hidden',
  },
} satisfies Variables;
