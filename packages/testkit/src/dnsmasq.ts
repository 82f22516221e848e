import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS } from './eventually.ts';
import { freePort } from './free-port.ts';

/**
 * A real DNS server on loopback (Debian's dnsmasq) for the zones it is told; any other name it refuses, which
 * is a failed look-up.
 */
export interface DnsServer {
  /** `127.0.0.1:<port>`, as resolvers are configured. */
  address: string;
  /** Serves these records instead, and is up again when this resolves. */
  serve(records: readonly DnsRecord[]): Promise<void>;
  /** Answers nothing until `serve`. */
  stop(): Promise<void>;
}

export type DnsRecord =
  | { type: 'TXT'; name: string; value: string }
  | { type: 'CNAME'; name: string; value: string }
  | { type: 'MX'; name: string; value: string; priority: number }
  | { type: 'A' | 'AAAA' | 'PTR'; name: string; value: string };

/** True if dnsmasq is there; tests that need it say `skipped: needs dnsmasq` otherwise. */
export const hasDnsmasq = spawnSync('dnsmasq', ['--version'], { stdio: 'ignore' }).status === 0;

/** dnsmasq takes no longer line in its configuration: keep the values of records below it. */
const LINE_MAX = 1_024;
/** A string of a TXT record holds this many bytes; a longer value is cut. RFC 1035 §3.3.14 */
const TXT_STRING_MAX = 255;

/** `zones`: names that the server answers for with certainty, NXDOMAIN included. */
export async function startDnsmasq(zones: readonly string[]): Promise<DnsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-dns-'));
  const port = await freePort();
  let child: ChildProcess | null = null;

  async function stop(): Promise<void> {
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = null;
  }

  async function serve(records: readonly DnsRecord[]): Promise<void> {
    await stop();
    const file = join(folder, 'dnsmasq.conf');
    writeFileSync(file, configuration(port, zones, records));
    child = spawn('dnsmasq', ['--keep-in-foreground', `--conf-file=${file}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await answering(port);
  }

  return {
    address: `127.0.0.1:${port}`,
    serve,
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(port: number, zones: readonly string[], records: readonly DnsRecord[]): string {
  const lines = [
    `port=${port}`,
    'listen-address=127.0.0.1',
    'bind-interfaces',
    'no-resolv',
    'no-hosts',
    'user=root',
    'pid-file=',
    'local=/ready.test/',
    'txt-record=ready.test,up',
    ...zones.map((zone) => `local=/${zone}/`),
    ...records.map((record) => line(record, records)),
  ];
  if (lines.some((each) => each.length > LINE_MAX))
    throw new RangeError(`dnsmasq takes lines of ${LINE_MAX} characters`);
  return `${lines.join('\n')}\n`;
}

function line(record: DnsRecord, all: readonly DnsRecord[]): string {
  switch (record.type) {
    case 'TXT': {
      const strings = record.value.match(new RegExp(`.{1,${TXT_STRING_MAX}}`, 'gs')) ?? [''];
      return `txt-record=${[record.name, ...strings.map((each) => `"${each}"`)].join(',')}`;
    }
    case 'CNAME':
      // dnsmasq knows aliases of names that it knows itself.
      return all.some(({ type, name }) => type === 'A' && name === record.value)
        ? `cname=${record.name},${record.value}`
        : `host-record=${record.value},192.0.2.1\ncname=${record.name},${record.value}`;
    case 'MX':
      return `mx-host=${record.name},${record.value},${record.priority}`;
    case 'PTR':
      return `ptr-record=${record.name},${record.value}`;
    case 'A':
    case 'AAAA':
      return `host-record=${record.name},${record.value}`;
  }
}

async function answering(port: number): Promise<void> {
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    try {
      await resolver.resolveTxt('ready.test');
      return;
    } catch (error) {
      if (Date.now() > until) throw new Error(`dnsmasq does not answer on port ${port}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
