import { SCOPES } from '../../platform/http/http.ts';

export const INFO = {
  title: 'Acuse',
  description: `Transactional email with evidence sealing: send through a JSON API, delivered by SMTP; certified messages are sealed in a Merkle log with an RFC 3161 time-stamp.

**Keys.** Every request under \`/v1\` carries \`Authorization: Bearer <API key>\`; the key names the account. Each operation says which scope it needs.

**URLs** take the parameters that an operation names and no other: 400 \`invalid_parameter\` names the one that is unknown. Several values of one parameter are repeated or separated by commas. Ids may be in upper case, and a slash at the end of a path changes nothing. \`OPTIONS\` answers 204 with \`Allow\`.

**Bodies** are JSON in UTF-8. A field that an operation does not know is refused with 400 \`invalid_body\`, which names it; \`null\` for an optional field means that it is absent. Times are RFC 3339 in UTC with milliseconds, ids are UUIDv7, hashes are lower-case hex.

**Retries.** A send carries an \`Idempotency-Key\`. The same key with the same submission answers 200 with the message as it is now and \`Idempotent-Replayed: true\`; it sends nothing and costs no quota. Only an accepted message claims its key: a refused send can be corrected and retried with the same one. A 2xx means committed to disk; a 5xx or a lost answer: retry with the same key. Each operation says in \`x-acuse-retry\` what a client may do when it does not know the outcome of a request: \`safe\` (it only reads), \`keyed\` (repeat it under its Idempotency-Key) and \`repeatable\` (twice is as once) may be sent again; \`once\` would happen twice, or be refused, so check first.

**Errors** are \`{"error":{"code","message"}}\`; each code has one status and the message names the fix. A path that exists under another method answers 405 \`method_not_allowed\` with \`Allow\`; anything unknown, and anything of another account, answers 404 \`not_found\`. Where a request is wrong in several ways, the first of these answers: 401, account state, scope, rate limit, 415, 413, idempotency key, body, address, replay, send_at, template, domain, sender, suppression, quota.

**Lists** take \`limit\` (1 to 100) and \`after\` (the \`next_cursor\` of the page before) and answer \`{"data":[…],"next_cursor":string|null}\`, newest first unless said otherwise. A cursor continues its own list with the same filters and no other.

**Rate limits.** Each key may make so many requests a second (\`ratelimit-limit\` at once, \`ratelimit-remaining\` left); past it, 429 \`rate_limited\` with \`Retry-After\`. A client address has a limit of its own over all its keys, told the same way, and one that fails to authenticate too often with well-formed keys is told so too.`,
  contact: { name: 'The operator of the installation that serves this document' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

export const TAGS = [
  { name: 'Messages', description: 'Send messages and follow their outcome.' },
  { name: 'Evidence', description: 'Seals, proofs and their verification.' },
  { name: 'Shares', description: 'Links by which a stranger gets the proof of a message.' },
  {
    name: 'Templates',
    description: 'Subject, text and html with {{variables}} (Liquid). Versions never change.',
  },
  { name: 'Domains', description: 'Domains to send from, verified by DNS.' },
  { name: 'Senders', description: 'Addresses of those domains that may send.' },
  { name: 'Suppressions', description: 'Addresses to which nothing is sent.' },
  { name: 'Role mailbox', description: 'Mail to postmaster, abuse and fbl that is for the operator.' },
  { name: 'Webhooks', description: 'Signed events, their deliveries and replays.' },
  { name: 'Account', description: 'Settings, quotas and rates.' },
  { name: 'API keys', description: 'Keys and their scopes.' },
  { name: 'Approvals', description: 'Sends that wait until a person approves them.' },
  { name: 'Test mailbox', description: 'Mail that the sandbox delivered; only in sandbox mode.' },
  { name: 'Sign-in', description: 'Sessions, passwords and second factors of a person.' },
  { name: 'People', description: 'The people of an account, their roles, and what was changed.' },
  { name: 'Accounts', description: 'Accounts as their operator manages them.' },
  { name: 'Queue', description: 'Mail that waits and why; pauses, retries and cancellations.' },
  { name: 'Sealing', description: 'Batches, authorities, witnesses, renewals and checks of the evidence.' },
  { name: 'Billing', description: 'Amounts that accounts owe.' },
  { name: 'Installation', description: 'The installation as a whole.' },
  { name: 'Operators', description: 'Operators of the installation, and their actions.' },
  { name: 'You', description: "Changes of an operator's own data." },
  {
    name: 'Transparency log',
    description: 'The public log, without a key: C2SP tlog-tiles, checkpoints and constancias.',
  },
  { name: 'Operation', description: 'Health of a process, without a key.' },
  { name: 'Development', description: 'The embedded time-stamping authority.' },
] as const;

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'acuse_<key id>_<secret><checksum>',
    description: `An API key. Scopes: ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
  },
} as const;

/** For requests with a cookie. */
export const SESSION_RULES = `**Pages only.** Requests are answered under the server's own name alone, and every method but GET and HEAD must come from its own pages (\`Sec-Fetch-Site: same-origin\`, or \`Origin\`).

**Bodies, lists, errors** are those of the machine API: see contract/openapi.json.`;

const header = (description: string, schema: object) => ({ description, schema });

export const ANSWER_HEADERS = {
  'Request-Id': header('Id of this request; include it when you report a problem.', {
    type: 'string',
    format: 'uuid',
  }),
  'ratelimit-limit': header('Burst limit of the API key or session. Absent if no limit is set.', {
    type: 'integer',
  }),
  'ratelimit-remaining': header('Requests left at the moment.', { type: 'integer' }),
  'ratelimit-reset': header('Seconds until the next request is allowed; 0 if one is allowed now.', {
    type: 'integer',
  }),
  Link: header(
    'Where the code is explained: `</docs/errors#invalid_body>; rel="help"`. Not in the admin console.',
    { type: 'string' },
  ),
  'Retry-After': header('Seconds to wait. Given with `rate_limited` and `unavailable`.', { type: 'integer' }),
  'WWW-Authenticate': header('`Bearer realm="acuse"`', { type: 'string' }),
};
