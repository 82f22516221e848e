import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, expect, inject, test } from 'vitest';
import { createProcesses } from '../support/process.ts';

const processes = createProcesses();
afterAll(() => processes.end());

async function start(...args: string[]): Promise<{ child: ChildProcess; said: () => string }> {
  const program = inject('serverProgram') as { path: string };
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: await processes.database(),
    ACUSE_DATA_DIR: processes.folder(),
    ACUSE_MASTER_KEY: processes.masterKey,
  };
  const child = spawn(process.execPath, [program.path, 'chaos', '--staging', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      said += part;
    });
  return { child, said: () => said };
}

test('faults one after the other lose nothing and send nothing twice, and the report says so', async () => {
  const faults = ['kill', 'partition', 'silence', 'lost-node'];
  const { child, said } = await start(
    '--json',
    '--seconds',
    '1',
    ...faults.flatMap((name) => ['--fault', name]),
  );
  const [code] = await once(child, 'exit');
  expect([code, said().split('\n')[0]]).toEqual([0, expect.stringContaining('"held":true')]);
  const report = JSON.parse(said());
  expect(report).toMatchObject({ lost: [], twice: [], unanswered: 0 });
  expect(report.rows.map(({ fault }: { fault: string }) => fault)).toEqual(faults);
  expect(report.rows[3].refused).toContain('--node');
  expect(report.accepted).toBeGreaterThan(0);
});

test.runIf(process.platform === 'linux')(
  'kill -9 of the command leaves nothing frozen and no service',
  async () => {
    const { child, said } = await start('--fault', 'freeze', '--seconds', '120');
    const service = await eventually(async () => {
      const found = childrenOf(child.pid!).find(({ state, line }) => state === 'T' && line.includes('serve'));
      if (child.exitCode !== null) throw new Error(said());
      return found;
    }, 60_000);
    child.kill('SIGKILL');
    await eventually(async () => !exists(service.pid), 30_000);
  },
);

function childrenOf(pid: number): { pid: number; state: string; line: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
        if (Number(parent) !== pid) return [];
        return [{ pid: Number(name), state: state!, line: readFileSync(`/proc/${name}/cmdline`, 'latin1') }];
      } catch {
        return [];
      }
    });
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
