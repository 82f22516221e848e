/**
 * Where a client's requests go, by what it is given and by its environment: contract/vectors/README.md says it in
 * words. Written to be read beside a translation into any language.
 */

type Environment = Readonly<Record<string, string>>;

/** The address: null is refused, because a key must never go where nobody said. */
export function addressOf(given: string | null, env: Environment): string | null {
  return given ?? (env['ACUSE_URL'] || env['ACUSE_BASE_URL'] || null);
}

/** The proxy that the environment names for an address. 'refused': one that cannot be used. */
export function environmentProxy(address: string, env: Environment): string | null {
  const url = new URL(address);
  if (url.protocol !== 'https:' || isLoopback(url.hostname)) return null;
  const named = (env['https_proxy'] || env['HTTPS_PROXY'] || '').trim();
  if (named === '' || isExcepted(url, env['no_proxy'] || env['NO_PROXY'] || '')) return null;
  const proxy = named.includes('://') ? named : `http://${named}`;
  return /^http:\/\/[^/]/.test(proxy) ? proxy : 'refused';
}

function isExcepted(url: URL, list: string): boolean {
  const port = url.port || '443';
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name, only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase())!;
    if (name === '' || (only !== undefined && only !== port)) return false;
    return url.hostname === name || url.hostname.endsWith(`.${name}`);
  });
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
  );
}

const HERE = 'http://localhost:8025';
const AWAY = 'https://mail.example.com';
const PROXY = 'http://proxy.example.com:3128';

const ADDRESSES: readonly [string | null, Environment][] = [
  [null, {}],
  [null, { ACUSE_URL: AWAY }],
  [null, { ACUSE_BASE_URL: AWAY }],
  [null, { ACUSE_URL: AWAY, ACUSE_BASE_URL: HERE }],
  [null, { ACUSE_URL: '', ACUSE_BASE_URL: HERE }],
  [null, { ACUSE_URL: '' }],
  [AWAY, { ACUSE_URL: HERE, ACUSE_BASE_URL: HERE }],
];

const PROXIES: readonly [string, Environment][] = [
  [AWAY, {}],
  [AWAY, { HTTPS_PROXY: PROXY }],
  [AWAY, { https_proxy: PROXY }],
  [AWAY, { https_proxy: PROXY, HTTPS_PROXY: 'http://other:1' }],
  [AWAY, { https_proxy: '', HTTPS_PROXY: PROXY }],
  [AWAY, { HTTPS_PROXY: 'proxy.example.com:3128' }],
  [AWAY, { HTTPS_PROXY: 'http://me:secret@proxy.example.com:3128' }],
  [AWAY, { HTTPS_PROXY: 'socks5://proxy.example.com:1080' }],
  [AWAY, { HTTPS_PROXY: 'https://proxy.example.com:3128' }],
  [AWAY, { HTTP_PROXY: PROXY, http_proxy: PROXY, ALL_PROXY: PROXY, all_proxy: PROXY }],
  ['http://mail.example.com', { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, http_proxy: PROXY }],
  ['https://localhost:8025', { HTTPS_PROXY: PROXY }],
  ['https://a.localhost', { HTTPS_PROXY: PROXY }],
  ['https://127.0.0.2', { HTTPS_PROXY: PROXY }],
  ['https://[::1]:8025', { HTTPS_PROXY: PROXY }],
  [HERE, { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY }],
  ...[
    'mail.example.com',
    'MAIL.example.com',
    'example.com',
    '.example.com',
    '*.example.com',
    '*',
    'a.test, example.com',
    'a.test example.com',
    'mail.example.com:443',
    'mail.example.com:8443',
    'il.example.com',
    'notexample.com',
    ',',
    '',
  ].map((list): [string, Environment] => [AWAY, { HTTPS_PROXY: PROXY, NO_PROXY: list }]),
  [AWAY, { HTTPS_PROXY: PROXY, no_proxy: 'example.com', NO_PROXY: 'a.test' }],
  [`${AWAY}:8443`, { HTTPS_PROXY: PROXY, NO_PROXY: 'mail.example.com:8443' }],
  ['https://192.0.2.1', { HTTPS_PROXY: PROXY, NO_PROXY: '192.0.2.1' }],
];

export function settingsVectors(): object {
  return {
    addresses: ADDRESSES.map(([given, env]) => ({ given, env, out: addressOf(given, env) })),
    proxies: PROXIES.map(([address, env]) => ({ address, env, out: environmentProxy(address, env) })),
  };
}
