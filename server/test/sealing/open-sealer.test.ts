import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSealer, type SealerConfig } from '../../src/sealing/open-sealer.ts';
import { honest, startTsa, type TestTsa } from './support.ts';

let tsa: TestTsa;
let folder: string;
const NONE: SealerConfig = {
  tsaUrl: null,
  tsaPolicyFile: null,
  tsaUsername: null,
  tsaPassword: null,
  tsaToken: null,
};

beforeAll(async () => {
  tsa = await startTsa();
  folder = mkdtempSync(join(tmpdir(), 'acuse-sealer-'));
});
afterAll(async () => {
  await tsa.close();
  rmSync(folder, { recursive: true });
});

function policyFile(content: unknown): string {
  const path = join(folder, 'policy.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const development = () => ({ url: tsa.url, policy: tsa.policy });

describe('the configured authority', () => {
  it('is the development one without configuration', async () => {
    const sealer = await openSealer(NONE, development());
    expect(sealer.policy.development).toBe(true);
    const stamp = await sealer.stamp(new Uint8Array(32), AbortSignal.timeout(5_000));
    expect(stamp.expected.nonce).toHaveLength(16);
  });

  it.each([
    [
      'basic',
      { tsaUsername: 'usuario', tsaPassword: 'contraseña' },
      `Basic ${Buffer.from('usuario:contraseña').toString('base64')}`,
    ],
    ['bearer', { tsaToken: 't0ken' }, 'Bearer t0ken'],
    ['none', {}, undefined],
  ])('is spoken to with %s credentials', async (_name, credentials, header) => {
    const config = { ...NONE, tsaUrl: tsa.url, tsaPolicyFile: policyFile(tsa.policy), ...credentials };
    let seen: string | undefined;
    tsa.behave((answer, respondTo, request) => {
      seen = answer.req.headers.authorization;
      honest(answer, respondTo, request);
    });
    await (await openSealer(config, development())).stamp(new Uint8Array(32), AbortSignal.timeout(5_000));
    expect(seen).toBe(header);
  });

  it('never shows its credentials', async () => {
    const config = {
      ...NONE,
      tsaUrl: `${tsa.url}?key=c4nary`,
      tsaPolicyFile: policyFile(tsa.policy),
      tsaToken: 'c4nary',
    };
    tsa.behave((answer) => answer.writeHead(401).end('no'));
    const stamping = (await openSealer(config, development())).stamp(
      new Uint8Array(32),
      AbortSignal.timeout(5_000),
    );
    await expect(stamping).rejects.toThrow(/^http:\/\/127.0.0.1:\d+\/tsa answered HTTP 401/);
  });

  it('asks for no nonce from an authority that echoes none', async () => {
    const config = { ...NONE, tsaUrl: tsa.url, tsaPolicyFile: policyFile({ ...tsa.policy, nonce: false }) };
    tsa.behave(honest);
    const stamp = await (await openSealer(config, development())).stamp(
      new Uint8Array(32),
      AbortSignal.timeout(5_000),
    );
    expect(stamp.expected.nonce).toBeUndefined();
  });

  it.each([
    ['no JSON', '{', /policy.json: not JSON/],
    [
      'an unknown field',
      { profile: 'rfc3161', name: 'x', roots: [], rots: [] },
      /policy.json: .*unknown field "rots"/,
    ],
    ['no roots', { profile: 'rfc3161', name: 'x', roots: [] }, /roots/],
  ])('is refused with %s in its policy', async (_name, content, reason) => {
    const config = { ...NONE, tsaUrl: tsa.url, tsaPolicyFile: policyFile(content) };
    await expect(openSealer(config, development())).rejects.toThrow(reason);
  });
});
