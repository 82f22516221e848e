import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeTenant } from '../../src/accounts/tenants/operations.ts';
import { API_ERRORS, type ApiErrorCode, DOOR_ERRORS } from '../../src/errors.ts';
import { insertSpentKeys } from '../../src/messages/spent-key-store.ts';
import { hashOfKey } from '../../src/messages/spent-keys.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant, type TestTenant } from '../support/tenants.ts';
import { createTemplateFixture } from './fixtures.ts';
import { countRows } from './refusals.ts';

/**
 * A request that is wrong in several ways answers the first of them (docs/errors.md). One request is wrong in
 * every way there is; then one thing after the other is mended, from the front: so each check is seen to come
 * before the next.
 */
let service: TestService;
let tenant: TestTenant;
let suspendedKey: string;
let readingKey: string;
let templateId: string;

const DOMAIN = 'order.example.com';
const PENDING = 'pending.example.com';
const SUPPRESSED = 'nobody@example.net';

beforeAll(async () => {
  service = await startTestService();
  tenant = await makeTenant(service, { quotaMessagesMonth: 1, quotaPlainMessagesMonth: 1 });
  readingKey = await tenant.keyWith('evidence:read');
  const suspended = await makeTenant(service);
  suspendedKey = await suspended.keyWith('evidence:read');
  await changeTenant(service.services, suspended.tenantId, { status: 'suspended' });
  await giveDomain(service, tenant.tenantId, DOMAIN, `ok@${DOMAIN}`);
  const { key } = tenant;
  await service.call('POST', '/v1/domains', { body: { name: PENDING }, key });
  await service.call('POST', '/v1/suppressions', { body: { address: SUPPRESSED }, key });
  templateId = await createTemplateFixture(() => service).template({ subject: 'S', text: '{{ name }}' }, key);
  // The month's quota of both bags is used up.
  for (const certified of [true, false]) {
    const used = await service.call('POST', '/v1/messages', {
      body: { from: `ok@${DOMAIN}`, to: 'ana@example.net', text: 'x', certified },
      headers: { 'idempotency-key': `used-${certified}` },
      key,
    });
    expect(used.status).toBe(201);
  }
  const { tenantId } = tenant;
  await service.db.transact(async (tx) => insertSpentKeys(tx, tenantId, [hashOfKey(tenantId, 'spent')]));
});
afterAll(() => service?.stop());

interface Attempt {
  key: string | null;
  type: string;
  padding: number;
  idempotencyKey: string | undefined;
  body: Record<string, unknown>;
}

/** Wrong in every way: each step says what it answers as things stand, and then mends it. */
const STEPS: readonly [code: ApiErrorCode, mend: (attempt: Attempt) => void][] = [
  [
    'unauthorized',
    (it) => {
      it.key = suspendedKey;
    },
  ],
  [
    'tenant_suspended',
    (it) => {
      it.key = readingKey;
    },
  ],
  [
    'insufficient_scope',
    (it) => {
      it.key = tenant.key;
    },
  ],
  [
    'unsupported_media_type',
    (it) => {
      it.type = 'application/json';
    },
  ],
  [
    'payload_too_large',
    (it) => {
      it.padding = 0;
    },
  ],
  [
    'missing_idempotency_key',
    (it) => {
      it.idempotencyKey = 'é';
    },
  ],
  [
    'invalid_idempotency_key',
    (it) => {
      it.idempotencyKey = 'spent';
    },
  ],
  [
    'invalid_body',
    (it) => {
      delete it.body['cerified'];
    },
  ],
  [
    'invalid_address',
    (it) => {
      it.body['to'] = SUPPRESSED;
    },
  ],
  [
    'accepted_before',
    (it) => {
      it.idempotencyKey = 'used-true';
    },
  ],
  [
    'idempotency_key_reused',
    (it) => {
      it.idempotencyKey = newKey();
    },
  ],
  [
    'send_at_out_of_range',
    (it) => {
      delete it.body['send_at'];
    },
  ],
  [
    'template_not_found',
    (it) => {
      it.body['template_id'] = templateId;
    },
  ],
  [
    'template_render_error',
    (it) => {
      it.body['variables'] = { name: 'Ana' };
    },
  ],
  [
    'domain_not_verified',
    (it) => {
      it.body['from'] = `other@${DOMAIN}`;
    },
  ],
  [
    'from_not_approved',
    (it) => {
      it.body['from'] = `ok@${DOMAIN}`;
    },
  ],
  [
    'recipient_suppressed',
    (it) => {
      it.body['to'] = 'ana@example.net';
    },
  ],
  ['quota_exceeded', () => {}],
];

function wrongInEveryWay(): Attempt {
  return {
    key: null,
    type: 'text/plain',
    padding: 36 * 1024 * 1024,
    idempotencyKey: undefined,
    body: {
      from: `a@${PENDING}`,
      to: 'nobody',
      template_id: 'none',
      send_at: '2020-01-01T00:00:00Z',
      cerified: true,
    },
  };
}

describe('a send', () => {
  test('that is wrong in every way is told of each in its turn, and nothing is stored', async () => {
    const attempt = wrongInEveryWay();
    const before = await countRows(service.db);
    for (const [code, mend] of STEPS) {
      const answer = await service.call('POST', '/v1/messages', {
        body: JSON.stringify(attempt.body) + ' '.repeat(attempt.padding),
        headers: {
          'content-type': attempt.type,
          ...(attempt.idempotencyKey !== undefined && { 'idempotency-key': attempt.idempotencyKey }),
        },
        key: attempt.key,
      });
      expect([answer.status, answer.body.error?.code]).toEqual([API_ERRORS[code].status, code]);
      mend(attempt);
    }
    expect(await countRows(service.db)).toEqual(before);
  });

  test('the steps are those of the error table that a send can meet', () => {
    const elsewhere: readonly string[] = [
      ...DOOR_ERRORS,
      // Of keys whose sends a person approves.
      'approval_required',
      'approval_refused',
      'invalid_parameter',
      'empty_batch',
      'batch_too_large',
      'tenant_deactivated',
      'not_found',
      'method_not_allowed',
      'conflict',
      'not_certified',
      'missing_proof_data',
      'rate_limited',
      'request_timeout',
      'internal_error',
      'unavailable',
    ];
    expect(STEPS.map(([code]) => code).sort()).toEqual(
      Object.keys(API_ERRORS)
        .filter((code) => !elsewhere.includes(code))
        .sort(),
    );
  });
});

test('an item of a batch meets the same checks in the same order', async () => {
  const attempt = wrongInEveryWay();
  for (const [code, mend] of STEPS) {
    if (
      STEPS.findIndex(([each]) => each === code) >=
      STEPS.findIndex(([each]) => each === 'missing_idempotency_key')
    ) {
      const answer = await service.call('POST', '/v1/messages/batch', {
        body: { messages: [{ idempotency_key: attempt.idempotencyKey, ...attempt.body }] },
        key: tenant.key,
      });
      expect([answer.status, answer.body.results?.[0].error?.code]).toEqual([200, code]);
    }
    mend(attempt);
  }
});

test('a raw message meets the same checks in the same order', async () => {
  const steps: readonly [
    code: ApiErrorCode,
    mend: (attempt: { key?: string; from: string; to: string; text: string; padding: number }) => void,
  ][] = [
    [
      'payload_too_large',
      (it) => {
        it.padding = 0;
      },
    ],
    [
      'missing_idempotency_key',
      (it) => {
        it.key = 'é';
      },
    ],
    [
      'invalid_idempotency_key',
      (it) => {
        it.key = 'spent';
      },
    ],
    [
      'invalid_body',
      (it) => {
        it.text = 'Hello';
      },
    ],
    [
      'invalid_address',
      (it) => {
        it.to = SUPPRESSED;
      },
    ],
    [
      'accepted_before',
      (it) => {
        it.key = 'used-true';
      },
    ],
    [
      'idempotency_key_reused',
      (it) => {
        it.key = newKey();
      },
    ],
    [
      'domain_not_verified',
      (it) => {
        it.from = `other@${DOMAIN}`;
      },
    ],
    [
      'from_not_approved',
      (it) => {
        it.from = `ok@${DOMAIN}`;
      },
    ],
    [
      'recipient_suppressed',
      (it) => {
        it.to = 'ana@example.net';
      },
    ],
    ['quota_exceeded', () => {}],
  ];
  const attempt: Parameters<(typeof steps)[number][1]>[0] = {
    from: `a@${PENDING}`,
    to: 'nobody',
    text: '',
    padding: 25 * 1024 * 1024,
  };
  for (const [code, mend] of steps) {
    const answer = await service.call('POST', '/v1/messages', {
      body: `From: ${attempt.from}\r\nTo: ${attempt.to}\r\n\r\n${attempt.text}${' '.repeat(attempt.padding)}`,
      headers: {
        'content-type': 'message/rfc822',
        ...(attempt.key !== undefined && { 'idempotency-key': attempt.key }),
      },
      key: tenant.key,
    });
    expect([answer.status, answer.body.error?.code]).toEqual([API_ERRORS[code].status, code]);
    mend(attempt);
  }
});

describe('a replay', () => {
  test('answers before anything that may have changed since', async () => {
    const account = await makeTenant(service);
    const { key } = account;
    const domainId = await giveDomain(service, account.tenantId, 'replay.example.com');
    const template_id = await createTemplateFixture(() => service).template(
      { subject: 'S', text: '{{ name }}' },
      key,
    );
    const body = {
      from: 'a@replay.example.com',
      to: 'ana@example.net',
      template_id,
      variables: { name: 'Ana' },
    };
    const headers = { 'idempotency-key': newKey() };
    const send = () => service.call('POST', '/v1/messages', { body, headers, key });
    const first = await send();
    expect(first.status).toBe(201);

    await changeTenant(service.services, account.tenantId, {
      quotaMessagesMonth: 0,
      defaultCertified: false,
    });
    await service.call('POST', '/v1/suppressions', { body: { address: 'ana@example.net' }, key });
    await service.call('DELETE', `/v1/domains/${domainId}`, { key });
    await service.call('DELETE', `/v1/templates/${template_id}`, { key });
    const replay = await send();
    expect([replay.status, replay.headers['idempotent-replayed'], replay.body]).toEqual([
      200,
      'true',
      first.body,
    ]);

    await changeTenant(service.services, account.tenantId, { status: 'deactivated' });
    expect((await send()).body.error.code).toBe('tenant_deactivated');
    await changeTenant(service.services, account.tenantId, { status: 'active' });
    expect((await send()).status).toBe(200);
  });
});
