// contract/vectors/client-settings.json: to which address, and through which proxy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Acuse } from '../dist/index.js';
import { proxyFor } from '../dist/options.js';
import { vectors } from './support/vectors.mjs';

const file = vectors('client-settings.json') ?? { addresses: [], proxies: [] };
const NAMES = ['ACUSE_URL', 'ACUSE_BASE_URL', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];

function within(env, run) {
  const before = { ...process.env };
  for (const name of NAMES) delete process.env[name];
  Object.assign(process.env, env);
  try {
    return run();
  } finally {
    for (const name of NAMES) delete process.env[name];
    Object.assign(process.env, before);
  }
}

test('the address is the one that was named', () => {
  for (const { given, env, out } of file.addresses) {
    const make = () => within(env, () => new Acuse({ apiKey: 'acuse_a_b', baseUrl: given ?? undefined }));
    if (out === null) assert.throws(make, { name: 'ConfigurationError', message: /ACUSE_URL/ });
    else assert.ok(String(make()).includes(out), String(make()));
  }
});

test('an address that is none says where it is set', () => {
  for (const baseUrl of [
    'mail.example.com',
    'u:secret@x',
    'secret:b@x',
    'https://u:secret@x',
    'https://u:secret@[',
  ]) {
    assert.throws(
      () => new Acuse({ apiKey: 'acuse_a_b', baseUrl }),
      (error) => /baseUrl, or ACUSE_URL/.test(error.message) && !inspect(error).includes('secret'),
    );
  }
});

test('the proxy is one of https', () => {
  for (const { address, env, out } of file.proxies) {
    const find = () => within(env, () => proxyFor({}, address));
    if (out === 'refused') assert.throws(find, { name: 'ConfigurationError' });
    else assert.equal(find()?.href ?? null, out === null ? null : new URL(out).href, JSON.stringify(env));
  }
});

test('a proxy sees no key in plain http', () => {
  const plain = {
    apiKey: 'acuse_a_b',
    baseUrl: 'http://localhost:8025',
    proxy: 'http://proxy.example.com:3128',
  };
  assert.throws(() => new Acuse(plain), { name: 'ConfigurationError' });
  new Acuse({ ...plain, allowInsecure: true }).close();
});
