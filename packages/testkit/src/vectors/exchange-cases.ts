/** The cases of exchanges.json, and what the reference says of each. */
import { gzipSync } from 'node:zlib';
import { type Exchange, expectedOf, type Script, type Step } from './exchanges.ts';

const ID = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11';
/** The API key that every player gives its client. */
const API_KEY = 'acuse_0123abcd_canarycanarycanarycanary';
const MESSAGE = { id: ID, idempotency_key: 'exchange', status: 'queued', subject: 'Hi', certified: false };
const PAGE = { data: [MESSAGE], next_cursor: null };
const NEW_KEY = { id: ID, key: 'acuse_a_b' };
const TYPE = 'content-type: application/json\r\n';
const SLOW_MS = 1_500;
const DRIP_MS = 100;
const MIB = 1024 * 1024;

const head = (status: number | string, fields = TYPE) => `HTTP/1.1 ${status} Told\r\n${fields}\r\n`;
const sized = (status: number | string, body: string, fields = TYPE) =>
  head(status, `${fields}content-length: ${Buffer.byteLength(body)}\r\n`) + body;
const whole = (status: number | string, body: unknown, fields = TYPE): Script => ({
  steps: [{ text: sized(status, typeof body === 'string' ? body : JSON.stringify(body), fields) }],
  end: 'keep',
});
const raw = (text: string, end: Script['end']): Script => ({ steps: [{ text }], end });
const error = (code: string, message: string) => ({ error: { code, message } });
const chunk = (text: string, extension = '') =>
  `${Buffer.byteLength(text).toString(16)}${extension}\r\n${text}\r\n`;

type More = Partial<Pick<Exchange, 'call' | 'max_retries' | 'limit_ms' | 'tls' | 'cancel_after_ms'>>;

const one = (name: string, why: string, answer: Script | readonly Script[], more: More = {}): Exchange => ({
  name,
  why,
  call: 'send',
  max_retries: 0,
  limit_ms: null,
  ...more,
  answers: [answer].flat() as Script[],
});

/** The same of a send and of a read, whose outcomes are never unknown. */
const both = (name: string, why: string, answer: Script, more: More = {}): Exchange[] => [
  one(name, why, answer, more),
  one(`${name}-of-a-read`, why, answer, { ...more, call: 'read' }),
];

const slow = (name: string, why: string, steps: readonly Step[], more: More = {}) =>
  one(name, why, { steps, end: 'hold' }, { limit_ms: SLOW_MS, ...more });

const GOOD: readonly Exchange[] = [
  one('sent', 'as it should be', whole(201, MESSAGE)),
  one('read', 'as it should be', whole(200, MESSAGE), { call: 'read' }),
  one('listed', 'as it should be', whole(200, PAGE), { call: 'list' }),
  one('created', 'as it should be', whole(201, NEW_KEY), { call: 'create' }),
  one('deleted', 'as it should be', raw(head(204, ''), 'keep'), { call: 'delete' }),
  one('chunk-extensions', 'chunks have extensions and a trailer', {
    steps: [
      {
        text: `${head(201, `${TYPE}transfer-encoding: chunked\r\n`)}${chunk(JSON.stringify(MESSAGE), ';a=b;c="d"')}0\r\nx-trailer: a\r\n\r\n`,
      },
    ],
    end: 'keep',
  }),
  one('until-close', 'HTTP/1.0, and the end of the connection is that of the body', {
    steps: [{ text: `HTTP/1.0 201 Created\r\n${TYPE}\r\n${JSON.stringify(MESSAGE)}` }],
    end: 'close',
  }),
  one('interim', 'three interim answers before the one that counts', {
    steps: [
      { text: 'HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n', times: 3 },
      { text: sized(201, JSON.stringify(MESSAGE)) },
    ],
    end: 'keep',
  }),
  one('no-reason', 'a status line without its reason', {
    steps: [{ text: sized(201, JSON.stringify(MESSAGE)).replace('201 Told', '201 ') }],
    end: 'keep',
  }),
  one('name-twice', 'the later value of a name counts', whole(201, `{"id":"first","id":"${ID}"}`)),
  one('fifty-levels', 'a field that is not known, 50 levels deep', whole(201, deep(50))),
  one('large', 'a field of 8 MiB that is not known', {
    steps: [
      { text: `${head(201, `${TYPE}content-length: ${8 * MIB + 52}\r\n`)}{"id":"${ID}","x":"` },
      { text: 'a'.repeat(8_192), times: 1_024 },
      { text: '"}' },
    ],
    end: 'keep',
  }),
  one('emoji', 'the text of an answer is UTF-8', whole(201, { ...MESSAGE, subject: '🧾 ñ' })),
  one('older-server', 'nothing but what carries the meaning', whole(201, { id: ID })),
];

function deep(levels: number, essential = `"id":"${ID}",`): string {
  return `{${essential}"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
}

/** Successes with a malformed body. */
const MALFORMED: readonly Exchange[] = [
  ...both('body-null', 'null in place of an object', whole(200, 'null')),
  ...both('body-empty', 'no body', whole(200, '')),
  ...both('body-list', 'a list in place of an object', whole(200, '[]')),
  ...both('body-text', 'a text in place of an object', whole(200, '"sent"')),
  ...both(
    'body-page',
    "a login page with a proxy's 200",
    whole(200, '<html>ok</html>', 'content-type: text/html\r\n'),
  ),
  ...both('no-id', 'the id is missing', whole(200, { status: 'queued' })),
  one('id-number', 'the id is a number', whole(201, { ...MESSAGE, id: 7 })),
  one('no-cursor', 'a page without next_cursor', whole(200, { data: [] }), { call: 'list' }),
  one('no-data', 'a page without data', whole(200, { next_cursor: null }), { call: 'list' }),
  one('data-null', 'the list of a page is null', whole(200, { data: null, next_cursor: null }), {
    call: 'list',
  }),
  one('entry-null', 'an entry of a page is null', whole(200, { data: [null], next_cursor: null }), {
    call: 'list',
  }),
  one('secret-missing', 'a new key without its secret', whole(201, { id: ID }), { call: 'create' }),
  ...both('no-content', '204 where an object belongs', raw(head(204, ''), 'keep')),
  ...both('cut-inside', 'the length says less than the body has', {
    steps: [{ text: `${head(201, `${TYPE}content-length: 9\r\n`)}${JSON.stringify(MESSAGE)}` }],
    end: 'close',
  }),
  ...both('not-a-number', 'NaN is not JSON', whole(200, `{"id":"${ID}","x":NaN}`)),
  ...both('infinite', 'Infinity is not JSON', whole(200, `{"id":"${ID}","x":-Infinity}`)),
  ...both('comma', 'a comma before the end', whole(200, `{"id":"${ID}",}`)),
  ...both('behind', 'something behind the value', whole(200, `{"id":"${ID}"} {}`)),
  ...both('bom', 'a byte order mark. RFC 8259 §8.1', whole(200, `\ufeff{"id":"${ID}"}`)),
  ...both('surrogate', 'half of a surrogate pair. RFC 7493 §2.1', whole(200, `{"id":"${ID}","x":"\\ud83d"}`)),
  one('surrogate-known', 'the same in a known field', whole(201, `{"id":"${ID}","subject":"a\\udc00b"}`)),
  ...both('latin-1', 'bytes that are not UTF-8', {
    steps: [
      { text: `${head(200, `${TYPE}content-length: 55\r\n`)}{"id":"${ID}","x":"a` },
      { base64: Buffer.from([0xe9, 0x62]).toString('base64') },
      { text: '"}' },
    ],
    end: 'close',
  }),
  ...both('too-deep', '65 levels', whole(200, deep(64))),
  ...both('bottomless', '100 000 levels', {
    steps: [
      { text: `${head(200, `${TYPE}content-length: ${200_050}\r\n`)}{"id":"${ID}","x":` },
      { text: '['.repeat(1_000), times: 100 },
      { text: ']'.repeat(1_000), times: 100 },
      { text: '}' },
    ],
    end: 'keep',
  }),
  ...both('long-number', 'a number of 65 digits', whole(200, `{"id":"${ID}","x":${'1'.repeat(65)}}`)),
  ...both('huge-number', 'a number of 5 MiB', {
    steps: [
      { text: `${head(200, `${TYPE}content-length: ${5 * MIB + 50}\r\n`)}{"id":"${ID}","x":` },
      { text: '7'.repeat(8_192), times: 640 },
      { text: '}' },
    ],
    end: 'keep',
  }),
  ...both('compressed', 'nobody asked for gzip, and nobody inflates it', gzipped('x'.repeat(64))),
  ...both('bomb', '32 MiB in 32 KiB', gzipped(`{"id":"${ID}","x":"${'x'.repeat(32 * MIB)}"}`)),
  ...both('too-large', 'a body of 17 MiB, by its length', {
    steps: [
      { text: `${head(200, `${TYPE}content-length: ${17 * MIB}\r\n`)}` },
      { text: ' '.repeat(8_192), times: 17 * 128 },
    ],
    end: 'keep',
  }),
  ...both('too-large-chunks', 'chunks without end', {
    steps: [
      { text: head(200, `${TYPE}transfer-encoding: chunked\r\n`) },
      { text: chunk(' '.repeat(16_384)), times: 0 },
    ],
    end: 'hold',
  }),
  one('too-large-until-close', 'a body without length or end', {
    steps: [{ text: head(200) }, { text: ' '.repeat(16_384), times: 0 }],
    end: 'hold',
  }),
  ...both('found', 'a redirect is not followed', whole(302, '', 'location: http://127.0.0.1:1/\r\n')),
  one('other-scheme', 'nor one to a file', whole(307, '', 'location: file:///etc/passwd\r\n')),
  one('not-modified', '304 to who asked for nothing of the kind', raw(head(304, ''), 'keep'), {
    call: 'read',
  }),
];

function gzipped(text: string): Script {
  const bytes = gzipSync(text, { level: 9 });
  return {
    steps: [
      { text: head(200, `${TYPE}content-encoding: gzip\r\ncontent-length: ${bytes.length}\r\n`) },
      { base64: bytes.toString('base64') },
    ],
    end: 'keep',
  };
}

/** Answers that break HTTP's framing, or break off. */
const LOST: readonly Exchange[] = [
  ...both('dropped', 'closed without a byte', { steps: [], end: 'close' }),
  ...both('reset', 'reset without a byte', { steps: [], end: 'reset' }),
  ...both('cut-line', 'closed within the status line', raw('HTTP/1.1 20', 'close')),
  ...both('cut-head', 'closed within the header', raw(`HTTP/1.1 201 Created\r\n${TYPE}`, 'close')),
  one('reset-head', 'reset within the header', raw(`HTTP/1.1 201 Created\r\n${TYPE}`, 'reset')),
  ...both(
    'cut-body',
    'closed within the body',
    raw(`${head(201, `${TYPE}content-length: 500\r\n`)}{"id":`, 'close'),
  ),
  ...both('whole-but-short', 'the body is JSON, and less than its length', {
    steps: [{ text: `${head(201, `${TYPE}content-length: 500\r\n`)}${JSON.stringify(MESSAGE)}` }],
    end: 'close',
  }),
  ...both('cut-chunk', 'closed within a chunk', {
    steps: [{ text: `${head(201, `${TYPE}transfer-encoding: chunked\r\n`)}500\r\n{"id":` }],
    end: 'close',
  }),
  ...both('no-last-chunk', 'closed before the last chunk', {
    steps: [
      { text: `${head(201, `${TYPE}transfer-encoding: chunked\r\n`)}${chunk(JSON.stringify(MESSAGE))}` },
    ],
    end: 'close',
  }),
  one('bad-chunk', 'the size of a chunk is none', {
    steps: [{ text: `${head(201, `${TYPE}transfer-encoding: chunked\r\n`)}zz\r\n{}\r\n0\r\n\r\n` }],
    end: 'close',
  }),
  ...both('lengths', 'two lengths. RFC 9112 §6.3', {
    steps: [
      { text: head(201, `${TYPE}content-length: 20\r\ncontent-length: 52\r\n`) + JSON.stringify({ id: ID }) },
    ],
    end: 'close',
  }),
  one(
    'length-negative',
    'a negative length',
    raw(`${head(201, `${TYPE}content-length: -1\r\n`)}{}`, 'close'),
  ),
  one(
    'length-words',
    'a length that is none',
    raw(`${head(201, `${TYPE}content-length: 5x\r\n`)}{"a":1}`, 'close'),
  ),
  ...both('no-http', 'another protocol', raw('SSH-2.0-OpenSSH_9.6\r\n\r\n', 'close')),
  one('status-words', 'a status that is none', raw('HTTP/1.1 OK\r\n\r\n', 'close')),
  one('head-endless', 'one header without end', {
    steps: [{ text: 'HTTP/1.1 201 Created\r\nx-endless: ' }, { text: 'a'.repeat(16_384), times: 0 }],
    end: 'hold',
  }),
  one('heads-endless', 'headers without end', {
    steps: [{ text: 'HTTP/1.1 201 Created\r\n' }, { text: `x-endless: ${'a'.repeat(1_000)}\r\n`, times: 0 }],
    end: 'hold',
  }),
];

/** Tried again under the rules of client-decisions.json, which are not repeated here. */
const AGAIN: readonly Exchange[] = [
  one(
    'lost-then-sent',
    'a lost answer is asked for again',
    [{ steps: [], end: 'close' }, whole(201, MESSAGE)],
    { max_retries: 3 },
  ),
  one(
    'framing-then-sent',
    'and so is one whose framing was broken',
    [raw('SSH-2.0-x\r\n\r\n', 'close'), whole(201, MESSAGE)],
    { max_retries: 3 },
  ),
  one('malformed-once', 'what is malformed would be again', whole(200, 'null'), { max_retries: 3 }),
  one(
    'too-large-once',
    'and so would what is too large',
    {
      steps: [
        { text: head(200, `${TYPE}transfer-encoding: chunked\r\n`) },
        { text: chunk(' '.repeat(16_384)), times: 0 },
      ],
      end: 'hold',
    },
    { max_retries: 3 },
  ),
  one('found-once', 'and a redirect', whole(302, '', 'location: /\r\n'), { max_retries: 3 }),
  one(
    'created-once',
    'what is made anew each time is asked for once',
    { steps: [], end: 'close' },
    { call: 'create', max_retries: 3 },
  ),
  one(
    'deleted-twice',
    'gone, after an attempt that may have deleted it',
    [{ steps: [], end: 'close' }, whole(404, error('not_found', 'No.'))],
    { call: 'delete', max_retries: 3 },
  ),
  one('never-there', 'a 404 at once is an error', whole(404, error('not_found', 'No.')), {
    call: 'delete',
    max_retries: 3,
  }),
  one(
    'unknown-stays',
    'an outcome that was unknown stays so',
    [whole(500, error('internal_error', 'No.')), whole(422, error('conflict', 'No.'))],
    { max_retries: 3 },
  ),
  one(
    'page-502',
    "a proxy's page, then the answer",
    [whole(502, '<html></html>', 'content-type: text/html\r\n'), whole(201, MESSAGE)],
    { max_retries: 3 },
  ),
  one(
    'wait-a-year',
    'a year is not waited',
    whole(503, error('unavailable', 'No.'), `${TYPE}retry-after: 31536000\r\n`),
    { max_retries: 3 },
  ),
  one(
    'wait-negative',
    'what is no time counts as absent',
    [whole(503, error('unavailable', 'No.'), `${TYPE}retry-after: -5\r\n`), whole(201, MESSAGE)],
    { max_retries: 3 },
  ),
  one(
    'wait-date',
    'a date of long ago is no wait',
    [
      whole(
        503,
        error('unavailable', 'No.'),
        `${TYPE}retry-after: Sun, 22 Nov 1970 10:00:00 GMT\r\ndate: Sun, 22 Nov 1970 10:00:00 GMT\r\n`,
      ),
      whole(201, MESSAGE),
    ],
    { max_retries: 3 },
  ),
];

/** Refusals, and what their texts may not do. */
const REFUSED: readonly Exchange[] = [
  ...both('page-403', "a firewall's page", whole(403, '<html>no</html>', 'content-type: text/html\r\n')),
  ...both('page-502-at-once', "a proxy's page", whole(502, '<html>no</html>', 'content-type: text/html\r\n')),
  one('error-elsewhere', "another program's JSON", whole(400, { error: 'bad request' })),
  one('error-null', 'null', whole(500, 'null')),
  one('error-code-null', 'no code', whole(422, { error: { code: null, message: 'No.' } })),
  one('error-code-shouted', 'a code that is none', whole(422, error('Bad \u001b[31mCode', 'No.'))),
  one('error-code-empty', 'an empty code', whole(422, error('', 'No.'))),
  one('error-code-later', 'a code of a later server', whole(422, error('added_later', 'No.'))),
  one('error-message-missing', 'no message', whole(422, { error: { code: 'conflict' } })),
  one(
    'error-message-object',
    'a message that is none',
    whole(422, { error: { code: 'conflict', message: {} } }),
  ),
  one('error-unwritten', 'an error without a body', whole(401, '')),
  one(
    'error-deep',
    'levels without end in an error',
    whole(422, deep(70, '"error":{"code":"conflict","message":"No."},')),
  ),
  one('error-too-large', 'a refusal without end', {
    steps: [
      { text: head(422, `${TYPE}transfer-encoding: chunked\r\n`) },
      { text: chunk(' '.repeat(16_384)), times: 0 },
    ],
    end: 'hold',
  }),
  one('quota', '429 with the one code that is no rate', whole(429, error('quota_exceeded', 'No.'))),
  one('rate-foreign', '429 of a proxy', whole(429, 'slow down', 'content-type: text/plain\r\n'), {
    max_retries: 3,
  }),
  one('teapot', 'a 4xx that the contract has not', whole(418, error('teapot', 'No.'))),
  one('beyond-500', 'a 5xx that the contract has not', whole(599, error('later', 'No.'))),
  one(
    'key-echoed',
    'the API key in a message',
    whole(401, error('unauthorized', `The key ${API_KEY} is unknown.`)),
  ),
  one(
    'terminal',
    'characters that write into a terminal',
    whole(422, error('conflict', 'a\u001b[31mb\u0007c\u0085d\u009b31me\r\nf\u007fg\tend')),
  ),
  one(
    'turned',
    'marks that turn a text around',
    whole(422, error('conflict', 'a\u202eb\u2066c\u2069d\u200ee\u200ff\u061cg\u2028h\u2029end')),
  ),
  one('request-id-turned', 'the same in a header', {
    steps: [
      { text: sized(422, JSON.stringify(error('conflict', 'No.')), `${TYPE}request-id: a\u202eb\r\n`) },
    ],
    end: 'keep',
  }),
  one('id-echoed', 'the API key where an id belongs', whole(201, { id: [API_KEY] })),
];

const results = (...all: object[]) => whole(200, { results: all });
const item = (name: string, why: string, result: object) =>
  one(name, why, results({ index: 0, ...result }), { call: 'batch' });
const items = (name: string, why: string, answers: readonly Script[], max_retries: number) =>
  one(name, why, answers, { call: 'batch', max_retries });
const BUSY = results({ index: 0, status: 'failed', ...error('unavailable', 'Not now.') });
// Begun: a reused connection that ends without a byte is repeated by libraries of HTTP.
const GONE = raw('HTTP/1.1 200 Told\r\n', 'close');
const CREATED = results({ index: 0, status: 'created', message: MESSAGE });

/** A batch is a success; what became of its items stands in it. */
const ITEMS: readonly Exchange[] = [
  item('item-created', 'as it should be', { status: 'created', message: MESSAGE }),
  item('item-refused', 'the status of its code, never that of the answer', {
    status: 'failed',
    ...error('template_not_found', 'No.'),
  }),
  item('item-quota', 'two classes of one status', { status: 'failed', ...error('quota_exceeded', 'No.') }),
  item('item-later', 'a code of a later server is a refusal', {
    status: 'failed',
    ...error('added_later', 'No.'),
  }),
  item('item-turned', 'its text is shown as any other', {
    status: 'failed',
    ...error('added_later', `a\u202eb ${API_KEY}`),
  }),
  one('item-missing', 'nothing is said of it', results(), { call: 'batch' }),
  one('item-elsewhere', 'the place of another', results({ index: 7, status: 'created', message: MESSAGE }), {
    call: 'batch',
  }),
  item('item-empty', 'neither message nor error', { status: 'created' }),
  one('batch-refused', 'each item has what refused the request', whole(401, error('unauthorized', 'No.')), {
    call: 'batch',
  }),
  items('item-busy', 'it is tried no more often than a call', [BUSY], 2),
  items('item-busy-once', 'another request takes it', [BUSY, CREATED], 2),
  items('item-busy-then-lost', 'it may have been accepted since', [BUSY, GONE], 1),
  items(
    'item-busy-then-refused',
    'the refusal of the item stands',
    [BUSY, whole(401, error('unauthorized', 'No.'))],
    2,
  ),
];

/** Peers that take their time, and callers that do not. */
const SLOW: readonly Exchange[] = [
  slow('silence', 'nothing', []),
  slow('silence-of-a-read', 'nothing', [], { call: 'read' }),
  slow('drip-line', 'a status line, byte by byte', [
    { text: 'HTTP/1.1 201 ' },
    { text: 'a', times: 0, every_ms: DRIP_MS },
  ]),
  slow('drip-header', 'one header, byte by byte', [
    { text: 'HTTP/1.1 201 Created\r\nx-drip: ' },
    { text: 'a', times: 0, every_ms: DRIP_MS },
  ]),
  slow('drip-headers', 'header by header', [
    { text: 'HTTP/1.1 201 Created\r\n' },
    { text: 'x-drip: a\r\n', times: 0, every_ms: DRIP_MS },
  ]),
  slow('drip-body', 'a body, byte by byte', [
    { text: `${head(201, `${TYPE}content-length: 99999\r\n`)}{` },
    { text: ' ', times: 0, every_ms: DRIP_MS },
  ]),
  slow('drip-chunks', 'chunk by chunk', [
    { text: head(201, `${TYPE}transfer-encoding: chunked\r\n`) },
    { text: '1\r\n \r\n', times: 0, every_ms: DRIP_MS },
  ]),
  slow('drip-interim', 'interim answers, one by one', [
    { text: 'HTTP/1.1 100 Continue\r\n\r\n', times: 0, every_ms: DRIP_MS },
  ]),
  slow('flood-interim', 'interim answers as fast as they are taken', [
    { text: 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100), times: 0 },
  ]),
  slow('drip-refusal', 'the body of a refusal, byte by byte', [
    { text: `${head(503, `${TYPE}content-length: 99999\r\n`)}{` },
    { text: ' ', times: 0, every_ms: DRIP_MS },
  ]),
  slow('tls-silence', 'no answer to a handshake', [], { tls: true }),
  slow(
    'tls-drip',
    'a handshake, byte by byte',
    [{ base64: 'FgMDP/8C' }, { base64: 'AA==', times: 0, every_ms: DRIP_MS }],
    { tls: true },
  ),
  one('cancelled', 'the caller ends a call that waits', { steps: [], end: 'hold' }, { cancel_after_ms: 500 }),
];

export function exchangeVectors(): object {
  const cases = [GOOD, MALFORMED, LOST, AGAIN, REFUSED, ITEMS, SLOW].flat();
  if (new Set(cases.map(({ name }) => name)).size !== cases.length) throw new Error('a name stands twice');
  return {
    api_key: API_KEY,
    id: ID,
    idempotency_key: 'exchange',
    cases: cases.map((each) => ({ ...each, out: expectedOf(each) })),
  };
}
