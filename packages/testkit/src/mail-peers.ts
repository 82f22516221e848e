import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCertificate } from './certificate.ts';
import { greeting } from './smtp-greeting.ts';

/**
 * Debian's Exim and OpenSMTPD on loopback, as unpacked by scripts/mail-peers.sh. Each runs in a mount
 * namespace that has the users and folders that it was built for; the machine itself has none of them.
 */
export interface MailPeer {
  /** Its own folder: mailboxes, log and whatever its configuration asks for. */
  readonly folder: string;
  /** The mails that it stored, each as a whole file. */
  mails(): Buffer[];
  log(): string;
  stop(): Promise<void>;
}

export interface MailPeerOptions {
  readonly address: string;
  readonly port: number;
  readonly hostname: string;
  readonly certificate: TestCertificate;
  /** Where mail to `bounceDomain` goes. */
  readonly returnPathPort: number;
  readonly bounceDomain: string;
}

const ROOT = '/usr/local/lib/acuse-mail-peers';
const EXIM = `${ROOT}/usr/sbin/exim4`;
const OPENSMTPD = `${ROOT}/usr/sbin/smtpd`;

/** Beyond what Debian gives away by itself. */
const USERS = { 'Debian-exim': 64_101, opensmtpd: 64_102, opensmtpq: 64_103, vmail: 64_104 } as const;

/** Why one cannot run here, as the title of a skipped test says it; null when it can. */
export const eximMissing = whyMissing(EXIM, 'Exim');
export const openSmtpdMissing = whyMissing(OPENSMTPD, 'OpenSMTPD');

function whyMissing(program: string, name: string): string | null {
  if (!existsSync(program)) return `skipped: needs ${name} (scripts/mail-peers.sh)`;
  const namespace = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']);
  return namespace.status === 0 ? null : `skipped: ${name} needs root and a mount namespace`;
}

/**
 * Offers all that it can. `grey@` is put off until the folder has a file `pass`; refused at RCPT are
 * `no-such-user@`, and in Exim's own words `nowhere@` (no router takes it) and `denied@` (by a rule); for
 * `picky@` it first asks the return path whether it takes mail. Reports come of `later@`, `full@` (no room)
 * and `forwarded@` (refused where it leads).
 */
export function startExim(options: MailPeerOptions): Promise<MailPeer> {
  return start(options, 'Debian-exim', (folder) => {
    const path = join(folder, 'exim.conf');
    writeFileSync(path, eximConfiguration(folder, options));
    return { mounts: [], command: [EXIM, '-C', path, '-bdf', '-q1s'], maildir: join(folder, 'mail') };
  });
}

function eximConfiguration(folder: string, options: MailPeerOptions): string {
  return `primary_hostname = ${options.hostname}
exim_path = ${EXIM}
keep_environment =
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%s
pid_file_path = ${folder}/log/pid
local_interfaces = ${options.address}
daemon_smtp_ports = ${options.port}
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
tls_advertise_hosts = *
smtputf8_advertise_hosts = *
chunking_advertise_hosts = *
dsn_advertise_hosts = *
acl_smtp_rcpt = rcpt
never_users =
message_size_limit = 50M
begin acl
rcpt:
  deny
    local_parts = no-such-user
    message = 550 5.1.1 Unknown user
  defer
    local_parts = grey
    !condition = \${if exists{${folder}/pass}}
    message = 451 4.7.1 Greylisted, please try again later
  deny
    local_parts = denied
  deny
    local_parts = picky
    !verify = sender/callout=30s
  accept
    local_parts = later : forwarded
  require
    verify = recipient
  accept
begin routers
fails:
  driver = redirect
  local_parts = later
  allow_fail
  data = :fail: Unknown user
leads_on:
  driver = redirect
  local_parts = forwarded
  data = no-such-user@elsewhere.test
elsewhere:
  driver = manualroute
  domains = elsewhere.test
  transport = back
  route_list = * ${options.address}::${options.port}
  self = send
back:
  driver = manualroute
  domains = ${options.bounceDomain}
  transport = back
  route_list = * 127.0.0.1::${options.returnPathPort}
  self = send
full:
  driver = accept
  local_parts = full
  transport = full
store:
  driver = accept
  local_parts = !nowhere
  transport = store
begin transports
full:
  driver = appendfile
  directory = ${folder}/mail
  maildir_format
  quota = 1
  user = Debian-exim
store:
  driver = appendfile
  directory = ${folder}/mail
  maildir_format
  user = Debian-exim
back:
  driver = smtp
  allow_localhost
begin retry
* quota
* * F,1h,1s
`;
}

/**
 * Offers no PIPELINING, no SMTPUTF8 and no CHUNKING. `no-such-user@` is refused at RCPT and `grey@` put off.
 * Reports come of `later@`, whose mailbox is none, and of `forwarded@`, which the return path refuses.
 */
export function startOpenSmtpd(options: MailPeerOptions): Promise<MailPeer> {
  return start(options, 'vmail', (folder) => {
    const path = join(folder, 'smtpd.conf');
    writeFileSync(path, openSmtpdConfiguration(folder, options));
    for (const each of ['lib/opensmtpd/empty', 'spool/smtpd', 'run'])
      mkdirSync(join(folder, each), { recursive: true });
    chmodSync(join(folder, 'spool/smtpd'), 0o711);
    const mounts: [string, string][] = [
      [join(folder, 'lib'), '/var/lib'],
      [join(folder, 'spool'), '/var/spool'],
      [join(folder, 'run'), '/run'],
      [`${ROOT}/usr/libexec`, '/usr/libexec'],
    ];
    return { mounts, command: [OPENSMTPD, '-dv', '-f', path], maildir: join(folder, 'mail/box') };
  });
}

function openSmtpdConfiguration(folder: string, options: MailPeerOptions): string {
  const host = options.hostname;
  const domain = host.slice(host.indexOf('.') + 1);
  return `pki "${host}" cert "${folder}/cert.pem"
pki "${host}" key "${folder}/key.pem"
table users { "@" = "vmail" }
smtp max-message-size "50M"
table grey { "grey@${domain}" }
table gone { "no-such-user@${domain}" }
table forwarded { "forwarded@${domain}" }
table full { "later@${domain}" }
filter "greylist" phase rcpt-to match rcpt-to <grey> reject "451 4.7.1 Greylisted, please try again later"
listen on ${options.address} port ${options.port} hostname "${host}" tls pki "${host}" filter "greylist"
action "store" maildir "${folder}/mail/box" virtual <users>
action "fails" mda "exit 67" virtual <users>
action "back" relay host smtp://127.0.0.1:${options.returnPathPort}
match from any for domain "${options.bounceDomain}" action "back"
match from any for rcpt-to <gone> reject
match from any for rcpt-to <full> action "fails"
match from any for rcpt-to <forwarded> action "back"
match from any for any action "store"
`;
}

interface Prepared {
  /** Folders of ours, and where the program looks for them. */
  readonly mounts: readonly (readonly [string, string])[];
  readonly command: readonly string[];
  readonly maildir: string;
}

async function start(
  options: MailPeerOptions,
  user: keyof typeof USERS,
  prepare: (folder: string) => Prepared,
): Promise<MailPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-mail-peer-'));
  // Its programs run as users of their own and walk through it.
  chmodSync(folder, 0o755);
  for (const name of ['mail', 'spool', 'log']) {
    mkdirSync(join(folder, name));
    chownSync(join(folder, name), name === 'spool' && user === 'vmail' ? 0 : USERS[user], 0);
  }
  writeFileSync(join(folder, 'cert.pem'), options.certificate.certPem);
  writeFileSync(join(folder, 'key.pem'), options.certificate.keyPem, { mode: 0o600 });
  // OpenSMTPD wants its key to be root's, Exim to be able to read it.
  if (user === 'Debian-exim') chownSync(join(folder, 'key.pem'), USERS[user], 0);
  const { mounts, command, maildir } = prepare(folder);
  for (const table of ['passwd', 'group'])
    writeFileSync(join(folder, table), `${readFileSync(`/etc/${table}`, 'utf8')}${entriesOf(table, folder)}`);
  const all = [...mounts, ...['passwd', 'group'].map((table) => [join(folder, table), `/etc/${table}`])];
  const script = [
    ...all.map(([from, to]) => `mount --bind '${from}' '${to}'`),
    // Ends when standard input does, as that does with us, and with it whatever is in its namespace.
    `${command.join(' ')} </dev/null & read -r _ || true`,
  ];
  const child = spawn('unshare', ['--mount', '--pid', '--fork', 'sh', '-ec', script.join('\n')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  const log = () => {
    const file = join(folder, 'log/main');
    return existsSync(file) ? `${said}${readFileSync(file, 'utf8')}` : said;
  };
  async function stop(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.stdin.end();
      await exit;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  try {
    await greeting(options.address, options.port, log, child);
  } catch (error) {
    await stop();
    throw error;
  }
  const stored = join(maildir, 'new');
  const mails = () =>
    existsSync(stored) ? readdirSync(stored).map((name) => readFileSync(join(stored, name))) : [];
  return { folder, mails, log, stop };
}

function entriesOf(table: string, folder: string): string {
  const homes: Record<string, string> = {
    opensmtpd: '/var/lib/opensmtpd/empty',
    vmail: join(folder, 'mail'),
  };
  return Object.entries(USERS)
    .map(([name, id]) =>
      table === 'group'
        ? `${name}:x:${id}:\n`
        : `${name}:x:${id}:${id}::${homes[name] ?? '/nonexistent'}:/bin/sh\n`,
    )
    .join('');
}
