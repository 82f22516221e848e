import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, expect, test } from 'vitest';
import { createProcesses } from '../support/process.ts';

/** Type=notify of the units: `systemctl start` returns once the service answers. */

const processes = createProcesses();
afterAll(() => processes.end());

/** With this in place of systemd's own command, which needs systemd at the other end of the socket. */
function managed(notify: string): Record<string, string> {
  const folder = processes.folder();
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\n${notify}\n`);
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  return { NOTIFY_SOCKET: '/run/systemd/notify', PATH: `${folder}:${process.env['PATH']}` };
}

test('systemd is told once the service is ready, and by nobody else', async () => {
  const told = join(processes.folder(), 'told');
  const service = await processes.start({ env: managed(`echo "$NOTIFY_SOCKET $*" >> ${told}`) });
  await eventually(() => existsSync(told) && readFileSync(told, 'utf8') !== '');
  expect(readFileSync(told, 'utf8')).toBe('/run/systemd/notify --ready\n');
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200);
  // PostgreSQL knows that socket too, and would say that we are ready long before.
  const [pid] = readFileSync(join(service.dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n');
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('NOTIFY_SOCKET');
});

test('a start where systemd cannot be told goes on', async () => {
  const service = await processes.start({
    databaseUrl: await processes.database(),
    env: managed('exit 1'),
  });
  await eventually(() => service.log().includes('systemd was not told of the start'));
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200);
});
