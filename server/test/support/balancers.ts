import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';

/** One address in front of several processes. */
export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));
/** False: say "skipped: needs nginx". */
export const hasNginx = NGINX !== undefined;

const CONF = new URL('../../../deploy/nginx/two-hosts.conf', import.meta.url);

/** A real nginx with the settings of deploy/, but for addresses and places of files. */
export async function startNginx([first, second]: readonly [number, number]): Promise<Balancer> {
  if (NGINX === undefined) throw new Error('nginx is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'acuse-nginx-'));
  const port = await freePort();
  const servers = readFileSync(CONF, 'utf8')
    .replace('10.0.0.1:8025', `127.0.0.1:${first}`)
    .replace('10.0.0.2:8025', `127.0.0.1:${second}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    [
      `pid ${folder}/pid; error_log stderr; daemon off; worker_processes 1; events {}`,
      `http { access_log off; ${places.join(' ')}`,
      `${servers}}`,
    ].join('\n'),
  );
  const child = spawn(NGINX, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${said}`);
    return (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null))?.status === 200;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ASKED_EVERY_MS = 100;

/**
 * Passes connections on, in turns, to those whose /readyz answered 200 last, and never looks into one: what
 * a connection that is kept open is used for, stays with its process.
 */
export async function startTcpBalancer(ports: readonly number[]): Promise<Balancer> {
  let ready: number[] = [];
  let turn = 0;
  let asking = true;
  const open = new Set<Socket>();

  async function ask(): Promise<void> {
    while (asking) {
      const answers = await Promise.all(
        ports.map((port) => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)),
      );
      ready = ports.filter((_, at) => answers[at]?.status === 200);
      await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
    }
  }

  const server = createServer((client) => {
    const port = ready[turn++ % ready.length];
    if (port === undefined) return void client.destroy();
    const behind = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => open.delete(from));
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = ask();
  await eventually(() => ready.length === ports.length);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      asking = false;
      await asked;
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
