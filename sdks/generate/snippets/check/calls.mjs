// The calls that the checks run: every operation with its examples, and requests as screens make them, with
// values that try to get out of a literal.
import { readModel } from '../../model.mjs';
import { exampleCalls } from '../../snippets.mjs';
import { callOf } from '../index.mjs';
import { tableOf } from '../table.mjs';

const ID = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11';
/** Printable ASCII, as keys are: quotes, escapes and interpolation of every language. */
export const PRINTABLE = `'"\`\\ \${x} #{x} #$x $x {$x} {\${x}} %s {{ x }} \\u0022 \\' */ // ?> -- <!-- \\`;
export const HOSTILE = `${PRINTABLE}\r\n\t\0\b\v\f\u001b[31m\u007f\u0085\u00ad\u2028\u202e\ufeff é 😀 \u{e0041} \\`;

const SCREENS = [
  ['GET', '/v1/messages?limit=50&status=bounced,complained&certified=true&bounce_type=hard&after=AZrA3s'],
  ['GET', `/v1/messages?${new URLSearchParams({ subject: HOSTILE, metadata_key: PRINTABLE })}`],
  ['GET', `/v1/messages/export?${new URLSearchParams({ from: 'a+b@example.com', sealed: 'false' })}`],
  ['GET', `/v1/messages/${ID}/events?limit=20`],
  ['GET', `/v1/events?limit=20&order=oldest_first&type=email.bounced`],
  ['GET', `/v1/webhooks/${ID}/deliveries?status=failed&type=email.bounced,email.sent`],
  ['GET', `/v1/webhooks/${ID}/replay?since=2026-11-20T09%3A30%3A00.000Z`],
  ['GET', '/v1/rates?days=7'],
  ['GET', `/v1/templates/${encodeURIComponent(`50% "it's" #{x} $x {$x} \${x} é?a=b#c`)}`],
  ['PATCH', `/v1/messages/${ID}`, { send_at: null }],
  ['PATCH', `/v1/webhooks/${ID}`, { description: HOSTILE, events: ['email.sent'] }],
  ['POST', '/v1/suppressions', { address: "o'hara@example.com", reason: HOSTILE }],
  [
    ...['POST', `/v1/templates/${ID}/render`],
    { variables: { [HOSTILE]: HOSTILE, n: 7, list: [1.5, true, [], { deep: HOSTILE }], empty: {} } },
  ],
  [
    ...['POST', '/v1/messages'],
    {
      ...{ from: 'a@example.com', to: ['b@example.com', 'c@example.com'], cc: 'd@example.com' },
      ...{ subject: HOSTILE, text: HOSTILE, headers: { 'X-Order': PRINTABLE } },
      metadata: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`key ${at}`, PRINTABLE])),
    },
    PRINTABLE.trim(),
  ],
];

export const model = readModel();
export const table = tableOf(model);

/** @returns {import('../index.d.mts').Call[]} */
export function checkedCalls() {
  const screens = SCREENS.map(([method, path, body, key]) => {
    const call = callOf({ method, path, body, key: key ?? null }, table);
    if (call === null) throw new Error(`${method} ${path} is no call of the libraries`);
    return call;
  });
  return [...exampleCalls(model, table), ...screens];
}
