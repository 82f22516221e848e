import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { greeting } from './smtp-greeting.ts';

/**
 * Debian's Postfix, as it comes, on loopback: its daemons, queue and configuration in a folder of its own,
 * nothing of the machine's own Postfix touched. It must be root's to start, for its daemons run as users of
 * their own.
 */
export interface Postfix {
  /** Port of every service. */
  readonly port: number;
  /** Configuration, as `postfix -c` and `postconf -c` take it. */
  readonly configFolder: string;
  readonly queueFolder: string;
  /** Its log so far. */
  log(): string;
  /**
   * Runs one of its own commands (`postsuper`, `postqueue`, …) on it and returns what that printed; throws
   * when it fails.
   */
  command(name: string, ...args: string[]): string;
  stop(): Promise<void>;
}

export interface PostfixOptions {
  /**
   * Its domains. Each listens on a loopback address of its own, so that one port can behave in several
   * ways.
   */
  readonly services: readonly PostfixService[];
  /** Parameters of main.cf, after Debian's own; `$queue_directory` and the like are set already. */
  readonly main?: Readonly<Record<string, string>>;
  /**
   * Further files of the configuration folder (tables, keys), by name; readable by all, as its daemons read
   * tables under users of their own.
   */
  readonly files?: Readonly<Record<string, string>>;
  readonly port?: number;
}

export interface PostfixService {
  readonly address: string;
  /** Parameters of this service alone. */
  readonly options?: Readonly<Record<string, string>>;
}

const DAEMONS = '/usr/lib/postfix/sbin';
const MASTER = `${DAEMONS}/master`;
const MASTER_DIST = '/usr/share/postfix/master.cf.dist';
/** Daemons and their commands stand where an ordinary user's PATH does not lead. */
export const PATH_ENV = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };

/** Why no Postfix can run here, as the title of a skipped test says it; null when it can. */
export const postfixMissing: string | null = whyMissing();

/**
 * Ends its master when standard input does, as that does with us; the kernel's parent-death signal a master
 * forgets when it changes users.
 */
const GUARD = '"$0" -c "$1" -s </dev/null & master=$!; read -r _; kill "$master"; wait "$master"';
const LOG_FILE = 'mail.log';
/** Daemons run as users of their own and walk through the folder. */
const WALK_THROUGH = 0o755;

function whyMissing(): string | null {
  if (!existsSync(MASTER_DIST) || spawnSync('postconf', ['mail_version'], { env: PATH_ENV }).status !== 0)
    return 'skipped: needs postfix';
  return process.getuid?.() === 0 ? null : 'skipped: postfix needs root';
}

/** Starts it and waits until it greets. It ends with this process, however that ends. */
export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-postfix-'));
  chmodSync(folder, WALK_THROUGH);
  const configFolder = join(folder, 'etc');
  const queueFolder = join(folder, 'queue');
  const port = options.port ?? (await freePort());
  writeConfiguration({ folder, configFolder, queueFolder, port }, options);
  // Makes the queue's folders. What it checks it says in the log, which is not there yet.
  run('postfix', ['-c', configFolder, 'check']);
  // Not through `postfix start-fg`: that stays before its master and does not hand signals on.
  const child = spawn('sh', ['-c', GUARD, MASTER, configFolder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: PATH_ENV,
  });
  const logFile = join(folder, LOG_FILE);
  const log = () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');

  async function stop(): Promise<void> {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    for (const { address } of options.services) await greeting(address, port, log);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    configFolder,
    queueFolder,
    log,
    command(name, ...args) {
      return run(name, ['-c', configFolder, ...args]);
    },
    stop,
  };
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: PATH_ENV });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

interface Places {
  readonly folder: string;
  readonly configFolder: string;
  readonly queueFolder: string;
  readonly port: number;
}

function writeConfiguration(
  { folder, configFolder, queueFolder, port }: Places,
  options: PostfixOptions,
): void {
  const dataFolder = join(folder, 'data');
  for (const path of [configFolder, queueFolder, dataFolder]) mkdirSync(path);
  const { uid, gid } = userOf('postfix');
  chownSync(dataFolder, uid, gid);
  const main = {
    compatibility_level: '3.6',
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    command_directory: '/usr/sbin',
    daemon_directory: DAEMONS,
    data_directory: dataFolder,
    queue_directory: queueFolder,
    maillog_file: join(folder, LOG_FILE),
    maillog_file_prefixes: folder,
    inet_interfaces: 'all',
    inet_protocols: 'ipv4',
    mydestination: '',
    mynetworks: '',
    alias_maps: '',
    alias_database: '',
    ...options.main,
  };
  writeFileSync(join(configFolder, 'main.cf'), parameters(main));
  writeFileSync(join(configFolder, 'master.cf'), masterFile(port, options.services));
  for (const [name, content] of Object.entries(options.files ?? {}))
    writeFileSync(join(configFolder, name), content);
}

function parameters(given: Readonly<Record<string, string>>): string {
  return Object.entries(given)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

/**
 * Debian's master.cf with our services in place of port 25, and no daemon in a chroot: that would need files
 * copied into the queue.
 */
function masterFile(port: number, services: readonly PostfixService[]): string {
  const lines = readFileSync(MASTER_DIST, 'utf8').split('\n');
  const kept = lines
    .filter((line) => !line.startsWith('#') && !/^smtp\s+inet\s/.test(line))
    .map((line) => line.replace(/^(\S+\s+(?:unix|unix-dgram|inet|fifo)\s+\S+\s+\S+\s+)y(\s)/, '$1n$2'));
  const ours = services.map(({ address, options = {} }) => {
    // A comma or a space would end the value on a line of its own.
    const more = Object.entries(options).map(([name, value]) => `  -o { ${name} = ${value} }`);
    return [`${address}:${port} inet n - n - - smtpd`, ...more].join('\n');
  });
  return `${[...ours, ...kept].join('\n')}\n`;
}

export function userOf(name: string): { uid: number; gid: number } {
  const [, , uid, gid] = (
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`${name}:`)) ?? ''
  ).split(':');
  if (uid === undefined || gid === undefined) throw new Error(`there is no user ${name}`);
  return { uid: Number(uid), gid: Number(gid) };
}

/** Its master ends all of its daemons. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.stdin?.end();
  await exit;
}
