import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acuse as runAcuse } from '../cli/run.ts';
import { type AgingTsa, PastClock, startAgingTsa } from './aging.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import { addMessages, sealerOf, type World } from './support.ts';

/** Its signer ends long after constancias would be renewed, and long before the embedded authority's. */
const SIGNER_DAYS = 300;

let world: World;
let tsa: AgingTsa;
const folder = tempFolder();
let tenantId: string;

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld(startAgingTsa(new PastClock(0), SIGNER_DAYS)));
  await addMessages(world.db, world.log, tenantId, 3);
  await sealAll(world, sealerOf(tsa, { priceMicros: 12_500_000 }));
});
afterAll(() => world.close());

function acuse(args: string[], env: Record<string, string> = {}) {
  const key = Buffer.alloc(32, 7).toString('base64');
  return runAcuse(args, { DATABASE_URL: world.url, ACUSE_DATA_DIR: folder, ACUSE_MASTER_KEY: key, ...env });
}

function manifestFile(): string {
  const path = join(folder, 'psc.json');
  const service = { protocol: 'rfc3161', url: tsa.url };
  writeFileSync(path, JSON.stringify({ policy: tsa.policy, service }));
  return path;
}

describe('acuse sealing status', () => {
  it('says what waits, how authorities fare, what ends when and what it cost', async () => {
    const { code, out } = await acuse(['sealing', 'status', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      logs: [
        {
          origin: world.log.origin,
          keys: [
            expect.objectContaining({
              algorithm: 'Ed25519',
              from: null,
              key: expect.stringContaining('acuse.test/log+'),
            }),
          ],
          leaves: 3,
          ended_at: null,
          stop: null,
          pending_leaves: 0,
          unsealed_leaves: 0,
          unstamped: 0,
          oldest_unstamped_at: null,
          attempts: null,
          next_attempt_at: null,
          last_error: null,
        },
      ],
      authorities: [
        expect.objectContaining({ name: tsa.policy.name, failures: 0, paused_until: null, ends_soon: false }),
      ],
      constancias: { count: 1, renewals: 0, first_end: expect.stringMatching(/Z$/), due: 0, lapsed: 0 },
      costs: {
        month: new Date().toISOString().slice(0, 7),
        items: [
          { tenant_id: tenantId, kind: 'batch', authority: tsa.policy.name, items: 3, cost_cents: 12.5 },
        ],
      },
    });
  });

  it('reads as text too, of any month', async () => {
    const { code, out } = await acuse(['sealing', 'status']);
    expect(code).toBe(0);
    expect(out).toMatch(/acuse\.test\/log +3 +0 +0/);
    expect(out).toMatch(/ seals /);
    expect(out).toMatch(/12\.50 cents/);
    expect((await acuse(['sealing', 'status', '--month', '2001-01'])).out).toContain(
      'no constancia had a cost',
    );
    expect((await acuse(['sealing', 'status', '--month', 'May'])).code).toBe(2);
  });

  it('says why something waits', async () => {
    await world.db.execute(
      "insert into authorities (name, failures, last_error, paused_until) values ('down', 4, 'HTTP 500', now() + interval '1 hour')",
    );
    const { out } = await acuse(['sealing', 'status']);
    expect(out).toMatch(/down +paused until .* HTTP 500/);
  });
});

describe('acuse renew', () => {
  it('has nothing to do while chains last', async () => {
    const { code, out } = await acuse(['renew', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { renewed: 0, postponed: 0, reasons: [] }]);
  });

  it('asks the configured authorities, and says what is not renewed and why', async () => {
    // The one signer that there is ends no later than what it sealed: a new one is what is missing.
    const { code, out } = await acuse(['renew', '--within', '3650'], { ACUSE_TSA_MANIFESTS: manifestFile() });
    expect(code).toBe(1);
    expect(out).toMatch(/renewed 0\npostponed 1\n✗ .*its own chain ends at/);
  });

  it('says what was put off before, and ends with 1, though nothing was tried', async () => {
    const { code, out } = await acuse(['renew', '--within', '3650', '--json'], {
      ACUSE_TSA_MANIFESTS: manifestFile(),
    });
    expect([code, JSON.parse(out)]).toEqual([
      1,
      { renewed: 0, postponed: 1, reasons: [expect.stringMatching(/^1 postponed earlier/)] },
    ]);
  });

  it('asks the embedded authority where none is configured', async () => {
    await world.db.execute('update certificates set renewing_until = null');
    const { code, out } = await acuse(['renew', '--within', '3650', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { renewed: 1, postponed: 0 }]);
  });

  it('says what it came too late for', async () => {
    await world.db.execute(
      "update certificates set covered_until = now() - interval '1 day', renewing_until = now() + interval '1 day'",
    );
    const { out } = await acuse(['sealing', 'status']);
    expect(out).toMatch(/due for renewal 1, ended without renewal 1, /);
  });

  it('names the manifest that cannot be read', async () => {
    const path = join(folder, 'bad.json');
    writeFileSync(path, '{}');
    const { code, err } = await acuse(['renew'], { ACUSE_TSA_MANIFESTS: path });
    expect(code).not.toBe(0);
    expect(err).toContain(`${path}: policy is missing`);
  });
});
