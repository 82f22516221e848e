import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually, PATIENCE_MS } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createFailedKeys,
  FAILURES_AROUND_TIMES,
  LOOK_UPS_AT_ONCE,
  LOOK_UPS_WAITING_MAX,
} from '../../src/accounts/api-keys/failed-keys.ts';
import { formatKey, parseKey } from '../../src/accounts/api-keys/key.ts';
import { createApiKey, endApiKey } from '../../src/accounts/api-keys/operations.ts';
import { changeTenant } from '../../src/accounts/tenants/operations.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createChanges } from '../../src/platform/database/changes.ts';
import { openDb } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { type Accounts, startAccounts } from './harness.ts';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await startAccounts({ failures: { perMinute: 1_000 } });
});
afterAll(() => accounts.close());

const secret = new Uint8Array(20).fill(9);

describe('who is let in', () => {
  test('every cause of a 401 reads the same', async () => {
    const { key, apiKeyId } = await accounts.tenant();
    const { key: revoked, apiKeyId: revokedId, tenant } = await accounts.tenant();
    await endApiKey(accounts.deps, tenant.tenantId, revokedId);
    const headers = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Basic ${key}`,
      key,
      `Bearer ${key}x`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer ${key} ${key}`,
      `Bearer ${formatKey(newId(), secret)}`,
      `Bearer ${formatKey(apiKeyId, secret)}`,
      `Bearer ${revoked}`,
      `Bearer ${'x'.repeat(8_000)}`,
    ];
    const answers = await Promise.all(
      headers.map((authorization) =>
        accounts.app.inject({
          url: '/v1/account',
          headers: authorization === undefined ? {} : { authorization },
        }),
      ),
    );
    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([401]));
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
    expect(answers[0]!.json().error.code).toBe('unauthorized');
    expect(answers[0]!.headers['www-authenticate']).toBe('Bearer realm="acuse"');
  });

  test('the scheme is read without regard to case', async () => {
    const { key } = await accounts.tenant();
    const answer = await accounts.app.inject({
      url: '/v1/account',
      headers: { authorization: `bearer ${key}` },
    });
    expect(answer.statusCode).toBe(200);
  });

  test('a missing scope is named', async () => {
    const { key } = await accounts.tenant(['messages:send']);
    const answer = await accounts.call('GET', '/v1/account', key);
    expect(answer.status).toBe(403);
    expect(answer.body.error.code).toBe('insufficient_scope');
    expect(answer.body.error.message).toContain('evidence:read');
  });

  test("any one of a route's scopes is enough", async () => {
    for (const scope of ['messages:send', 'evidence:read'] as const) {
      const { key } = await accounts.tenant([scope]);
      expect((await accounts.call('GET', '/v1/domains', key)).status).toBe(200);
    }
  });

  test.each(['suspended', 'deactivated'] as const)(
    'a %s account is told so before its scopes, at once, and is let in again when active',
    async (status) => {
      const { key, tenant } = await accounts.tenant(['messages:send']);
      expect((await accounts.call('GET', '/v1/domains', key)).status).toBe(200);
      await changeTenant(accounts.deps, tenant.tenantId, { status });
      for (const url of ['/v1/domains', '/v1/account']) {
        const answer = await accounts.call('GET', url, key);
        expect(answer.status).toBe(403);
        expect(answer.body.error.code).toBe(`tenant_${status}`);
      }
      await changeTenant(accounts.deps, tenant.tenantId, { status: 'active' });
      expect((await accounts.call('GET', '/v1/domains', key)).status).toBe(200);
    },
  );

  test('a revoked key is refused at once, and in other processes within 2 s', async () => {
    const other = openDb({ connectionString: accounts.database.url, poolSize: 2, applicationName: 'other' });
    const { key, apiKeyId, tenant } = await accounts.tenant();
    const { key: second, apiKeyId: secondId } = await createApiKey(
      accounts.deps,
      tenant.tenantId,
      { name: 'second', scopes: ['evidence:read'] },
      null,
    );
    expect((await accounts.call('GET', '/v1/account', key)).status).toBe(200);
    expect((await accounts.call('GET', '/v1/account', second)).status).toBe(200);

    await endApiKey(accounts.deps, tenant.tenantId, apiKeyId);
    expect((await accounts.call('GET', '/v1/account', key)).status).toBe(401);

    await endApiKey(
      { ...accounts.deps, db: other, changes: createChanges(other) },
      tenant.tenantId,
      secondId,
    );
    await eventually(async () => (await accounts.call('GET', '/v1/account', second)).status === 401);
    await other.close();
  });

  test('the last use is written aside, to the minute', async () => {
    const { key, tenant } = await accounts.tenant();
    await accounts.call('GET', '/v1/account', key);
    const usedAt = await eventually<string | null>(
      async () => (await accounts.call('GET', '/v1/api-keys', key)).body.data[0].last_used_at,
    );
    expect(Math.abs(Date.parse(usedAt) - Date.now())).toBeLessThan(PATIENCE_MS);
    expect(tenant.status).toBe('active');
  });
});

describe('limits', () => {
  /** None of them gives anything back meanwhile. */
  const clock = { ...systemClock, monotonicMs: () => 0 };

  test('a guessing address is told to wait; good keys behind it are not, known or new', async () => {
    const strict = await startAccounts({ clock, failures: { perMinute: 5 } });
    try {
      const known = await strict.tenant();
      const unseen = await strict.tenant();
      expect((await strict.call('GET', '/v1/account', known.key)).status).toBe(200);
      for (let i = 0; i < 30; i++)
        expect((await strict.call('GET', '/v1/account', 'acuse_nonsense')).status).toBe(401);
      for (let i = 0; i < 5; i++)
        expect((await strict.call('GET', '/v1/account', formatKey(newId(), secret))).status).toBe(401);

      const refused = await strict.call('GET', '/v1/account', formatKey(newId(), secret));
      expect(refused.status).toBe(429);
      expect(refused.body.error.code).toBe('rate_limited');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await strict.call('GET', '/v1/account', unseen.key)).status).toBe(200);
      expect((await strict.call('GET', '/v1/account', known.key)).status).toBe(200);
      expect((await strict.call('GET', '/v1/account', null)).status).toBe(401);
    } finally {
      await strict.close();
    }
  });

  test('failures of a /48 count together, and shut nobody out: there, beside it or elsewhere', async () => {
    const strict = await startAccounts({ clock, failures: { perMinute: 5 } });
    try {
      const [there, beside, elsewhere] = [
        await strict.tenant(),
        await strict.tenant(),
        await strict.tenant(),
      ];
      const from = async (remoteAddress: string, key = formatKey(newId(), secret)) => {
        const headers = { authorization: `Bearer ${key}` };
        return (await strict.app.inject({ url: '/v1/account', remoteAddress, headers })).statusCode;
      };
      const guesses = Promise.all(
        Array.from({ length: 300 }, (_, at) => from(`2001:db8:1:${(at % 100).toString(16)}::1`)),
      );
      const good = Promise.all([
        from('2001:db8:1:7::1', there.key),
        from('2001:db8:1:ffff::1', beside.key),
        from('192.0.2.1', elsewhere.key),
      ]);
      expect((await guesses).filter((status) => status === 401)).toHaveLength(5 * FAILURES_AROUND_TIMES);
      expect(await good).toEqual([200, 200, 200]);
      expect(await from('2001:db8:1:ffff::1')).toBe(429);
      expect(await from('2001:db8:2::1')).toBe(401);
    } finally {
      await strict.close();
    }
  });

  test('look-ups beyond the limit take turns, and a flood loses those that came first', async () => {
    const failed = createFailedKeys(systemClock, 1);
    const flooding = '2001:db8:1::1';
    while (failed.count(flooding) === null);
    let running = 0;
    let most = 0;
    const look = async () => {
      most = Math.max(most, ++running);
      await turn();
      running--;
      return 'found';
    };
    const flood = Array.from({ length: 400 }, () => failed.lookUp(flooding, look).catch(({ code }) => code));
    expect(await failed.lookUp(flooding, look)).toBe('found');
    const answers = await Promise.all(flood);
    expect(most).toBe(LOOK_UPS_AT_ONCE);
    expect(answers.filter((answer) => answer === 'rate_limited')).toHaveLength(
      400 + 1 - LOOK_UPS_AT_ONCE - LOOK_UPS_WAITING_MAX,
    );
  });

  test.each([
    ['in turn', false],
    ['at once', true],
  ])(
    'guesses %s at the secret of a key that exists, and was used here, count like any',
    async (_, atOnce) => {
      const strict = await startAccounts({ clock, failures: { perMinute: 5 } });
      try {
        const { key, apiKeyId } = await strict.tenant();
        expect((await strict.call('GET', '/v1/account', key)).status).toBe(200);
        const guess = () => strict.call('GET', '/v1/account', formatKey(apiKeyId, randomBytes(20)));
        const answers = atOnce ? await Promise.all(Array.from({ length: 8 }, guess)) : [];
        while (answers.length < 8) answers.push(await guess());
        expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
        expect(Number(answers.at(-1)!.headers['retry-after'])).toBeGreaterThan(0);
        // A key that does not exist is answered the same, so that the limit does not tell which do.
        expect((await strict.call('GET', '/v1/account', formatKey(newId(), secret))).status).toBe(429);
        expect((await strict.call('GET', '/v1/account', key)).status).toBe(200);
      } finally {
        await strict.close();
      }
    },
  );

  test('a client address has so many requests a second, whatever its keys, and before a key is looked at', async () => {
    const limited = await startAccounts({ clock, addressRate: { perSecond: 1, burst: 2 } });
    try {
      const { key } = await limited.tenant();
      const { key: neighbour } = await limited.tenant();
      expect((await limited.call('GET', '/v1/account', key)).status).toBe(200);
      expect((await limited.call('GET', '/v1/account', neighbour)).status).toBe(200);
      const refused = await limited.call('GET', '/v1/account', key);
      expect(refused.status).toBe(429);
      expect(refused.body.error.code).toBe('rate_limited');
      expect(refused.headers).toMatchObject({
        'ratelimit-limit': '2',
        'ratelimit-remaining': '0',
        'retry-after': '1',
      });
      expect((await limited.call('GET', '/v1/account', 'rubbish')).status).toBe(429);
    } finally {
      await limited.close();
    }
  });

  test('without a key a client address has so many requests a second, unknown paths included', async () => {
    const limited = await startAccounts({ clock, keylessRate: { perSecond: 1, burst: 2 } });
    try {
      const { key } = await limited.tenant();
      expect((await limited.call('GET', '/keyless', null)).status).toBe(200);
      expect((await limited.call('GET', '/nowhere', null)).status).toBe(404);
      for (const path of ['/keyless', '/nowhere', '/v1/nowhere', '/v1/account/x']) {
        const refused = await limited.call('GET', path, null);
        expect([path, refused.status, refused.body.error.code]).toEqual([path, 429, 'rate_limited']);
        expect(refused.headers).toMatchObject({ 'retry-after': '1' });
      }
      expect((await limited.call('POST', '/v1/account', null)).status).toBe(429);
      // Neither a key behind that address nor a health check of it pays for that.
      expect((await limited.call('GET', '/v1/account', key)).status).toBe(200);
      expect((await limited.call('GET', '/probe', null)).status).toBe(200);
      expect((await limited.call('GET', '/probe', null)).status).toBe(200);
      expect((await limited.call('GET', '/probe', null)).status).toBe(429);
    } finally {
      await limited.close();
    }
  });

  test('a key has so many requests a second, and is told how many are left', async () => {
    const limited = await startAccounts({ clock, keyRate: { perSecond: 1, burst: 3 } });
    try {
      const { key } = await limited.tenant();
      const { key: neighbour } = await limited.tenant();
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push(await limited.call('GET', '/v1/account', key));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 429]);
      expect(answers[0]!.headers).toMatchObject({
        'ratelimit-limit': '3',
        'ratelimit-remaining': '2',
        'ratelimit-reset': '0',
      });
      expect(answers[3]!.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '1' });
      expect((await limited.call('GET', '/v1/account', neighbour)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

test('what is stored of a key does not contain its secret', async () => {
  const { key } = await accounts.tenant();
  const rows = await accounts.db.query('select to_jsonb(k)::text as row from api_keys k');
  for (const { row } of rows) expect(row).not.toContain(parseKey(key)!.secret);
});
