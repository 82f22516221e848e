import { getDomain } from 'tldts';
import { duration } from '../../config/config-values.ts';
import { VARIABLES } from '../../config/config-variables.ts';
import type { Variable } from '../../config/variable.ts';
import {
  type Answers,
  address,
  addressOf,
  asPaths,
  asType,
  asVariable,
  domain,
  hostName,
  ipAddresses,
  line,
  oneOf,
  type Question,
  yes,
} from './question.ts';

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';
const NAME_MAX_CHARS = 200;
/** How long setup waits for the records of the domain (ms). */
export const DNS_WAIT = duration(0, 3_600_000);

export const is =
  (id: string, ...values: string[]) =>
  (known: Answers): boolean =>
    values.includes(known[id] ?? '');
const isNot =
  (id: string, ...values: string[]) =>
  (known: Answers): boolean =>
    known[id] !== undefined && !values.includes(known[id]);

type ConfigKey = keyof typeof VARIABLES;
const variable = (key: ConfigKey): Variable => VARIABLES[key] as Variable;

/** For a question whose answer is a variable. */
function of(key: ConfigKey, unset?: string): Pick<Question, 'variable' | 'read'> & { unset?: string } {
  const read = asVariable(variable(key), unset);
  return { variable: VARIABLES[key].name, read, ...(unset !== undefined && { unset }) };
}

function pathOf(key: ConfigKey, unset?: string): ReturnType<typeof of> {
  return { ...of(key, unset), read: asPaths(variable(key), unset) };
}

/** In the order in which they are asked: each may depend on those above it. Pure. */
export const QUESTIONS: readonly Question[] = [
  {
    id: 'hostname',
    text: 'Host name of this mail server',
    why: 'Such as mail.example.com: it is given in SMTP, bounces come to it, its address must lead back to it.',
    ...of('hostname'),
    default: (_known, found) => found.hostname ?? undefined,
    read: hostName(variable('hostname')),
  },
  {
    id: 'delivery',
    text: 'Where mail goes: direct or smarthost',
    why: "direct: to the recipients' own servers, on port 25; smarthost: to a relay that takes everything.",
    ...of('delivery'),
    default: () => 'direct',
    read: oneOf('direct', 'smarthost'),
  },
  {
    id: 'smarthost',
    text: 'URL of the relay',
    why: 'smtp:// (STARTTLS) or smtps://, with user and password if it asks for them.',
    ...of('smarthost'),
    secret: true,
    asked: is('delivery', 'smarthost'),
  },
  {
    id: 'address',
    text: 'Public address that mail leaves from',
    why: 'Receivers look up its name (PTR), and SPF names it. Several: separated by commas.',
    asked: is('delivery', 'direct'),
    default: (_known, { addresses }) => (addresses.length > 0 ? addresses.join(',') : undefined),
    read: ipAddresses,
  },
  {
    id: 'proxy',
    text: 'Proxy with TLS in front of the API and the portal: none, loopback or its addresses',
    why: 'none: API and portal answer on this machine alone; loopback: the proxy is on this machine.',
    ...of('trustProxy', 'none'),
    default: () => 'none',
  },
  {
    id: 'public_url',
    text: 'Address at which people and programs reach the proxy',
    why: 'Links in mail, evidence and documentation name it.',
    ...of('publicUrl'),
    asked: isNot('proxy', 'none'),
    default: ({ hostname }) => `https://${hostname}`,
  },
  {
    id: 'certificate',
    text: 'Certificate of the SMTP listeners: acme, files or none',
    why: 'acme: ordered now and renewed by the service; files: you have one; none: no TLS, and no submission by SMTP.',
    default: () => 'acme',
    read: oneOf('acme', 'files', 'none'),
  },
  {
    id: 'acme_directory',
    text: 'Directory of the ACME authority',
    why: "Let's Encrypt, or any authority with ACME.",
    ...of('acmeDirectory'),
    asked: is('certificate', 'acme'),
    default: () => LETS_ENCRYPT,
  },
  {
    id: 'acme_terms',
    text: "Do you agree to the authority's terms of service? yes or no",
    why: 'Its directory links to them; without it no certificate is issued.',
    asked: is('certificate', 'acme'),
    read: yes(
      'an authority issues only to those who agree; for another way start again and choose files or none',
    ),
  },
  {
    id: 'acme_port',
    text: 'Port on which the authority looks for this machine',
    why: 'It connects to port 80, which is open during an order alone; another port needs a proxy that passes it on.',
    ...of('acmePort'),
    asked: is('certificate', 'acme'),
    default: () => '80',
  },
  {
    id: 'cert_file',
    text: 'PEM file of the certificate with its chain',
    why: 'Read again when it changes.',
    ...pathOf('tlsCertFile'),
    asked: is('certificate', 'files'),
  },
  {
    id: 'key_file',
    text: 'PEM file of its private key',
    why: 'It must be readable by the service.',
    ...pathOf('tlsKeyFile'),
    asked: is('certificate', 'files'),
  },
  {
    id: 'database',
    text: 'Database: embedded, or the URL of a PostgreSQL',
    why: 'embedded: in the data folder of this machine; your own can have a standby and serve several machines.',
    ...of('databaseUrl', 'embedded'),
    secret: true,
    default: () => 'embedded',
  },
  {
    id: 'authorities',
    text: 'Time-stamping authorities: development, or their manifest files',
    why: 'Constancias of the development authority prove nothing in court; acuse psc probe writes a manifest.',
    ...pathOf('authorities', 'development'),
    default: () => 'development',
  },
  {
    id: 'log_origin',
    text: 'Name of the evidence log',
    why: 'A permanent part of what it proves: choose a name under a domain that you will keep.',
    ...of('logOrigin'),
    default: ({ hostname }) => `${hostname}/log`,
  },
  {
    id: 'anchor',
    text: 'Folder for the anchor, best on another machine, or none',
    why: 'Keeps what was published, so that a restored database signs no second history. Also s3://bucket/prefix.',
    ...pathOf('logAnchor', 'none'),
    default: () => 'none',
  },
  {
    id: 'mirror',
    text: 'Folder for the mirror, best on another machine, or none',
    why: 'Keeps the leaves of the log, so that a restored database is brought up to the anchor. Also s3://bucket/prefix.',
    ...pathOf('logMirror', 'none'),
    asked: isNot('anchor', 'none'),
    default: ({ anchor = '' }) => (/^s3:\/\/./.test(anchor) ? anchor : 'none'),
  },
  {
    id: 'journal',
    text: 'Folder for the journal, best on another machine, or none',
    why: 'Keeps what a restore must not forget: revoked keys, suppressed addresses, erased messages.',
    ...pathOf('journal', 'none'),
    default: () => 'none',
  },
  {
    id: 'backup',
    text: 'Folder for backups on another disk, or none',
    why: 'acuse backup writes there; run it each night (acuse-backup.timer).',
    ...pathOf('backupFolder', 'none'),
    asked: is('database', 'embedded'),
    default: () => 'none',
  },
  {
    id: 'backup_keep',
    text: 'Number of backups to keep',
    why: 'The oldest is removed once a new one was verified.',
    ...of('backupKeep'),
    asked: (known) => is('database', 'embedded')(known) && isNot('backup', 'none')(known),
    default: () => '14',
  },
  {
    id: 'operator',
    text: 'Address of the first operator',
    why: 'The first operator of the admin console: setup prints a link that signs them in once.',
    read: address,
  },
  {
    id: 'account',
    text: 'Name of the first account',
    why: 'The owner of the mail: a business, or a part of it. It gets an API key.',
    read: line(NAME_MAX_CHARS),
  },
  {
    id: 'domain',
    text: 'Domain that the account sends from',
    why: 'Its DNS records are printed: ownership, DKIM, return path, DMARC.',
    default: ({ hostname }) => getDomain(hostname ?? '', { allowPrivateDomains: true }) ?? undefined,
    read: domain,
  },
  {
    id: 'from',
    text: 'Sender of the test message',
    why: 'Any address of that domain may send.',
    default: ({ domain: name }) => `notices@${name}`,
    read: (text, { domain: name = '' }) => addressOf(name, text),
  },
  {
    id: 'mailbox',
    text: 'Mailbox that the test message goes to',
    why: 'Your own, best with a large provider: a certified message arrives there at the end.',
    default: ({ operator }) => operator,
    read: address,
  },
  {
    id: 'dns_wait',
    text: 'How long to wait until the records of the domain are in the DNS',
    why: 'Publishing takes minutes with most providers. 0s: look once. Setup can be run again at any time.',
    default: () => '15m',
    read: asType(DNS_WAIT),
  },
];
