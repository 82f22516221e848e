import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, describe, expect, test } from 'vitest';
import { startCommand } from '../support/command-process.ts';
import { createProcesses } from '../support/process.ts';

/** The master key under a key of a PKCS#11 token, SoftHSM's, as docs/guides/master-key.md does it. */

const MODULE = '/usr/lib/softhsm/libsofthsm2.so';
const missing =
  existsSync(MODULE) && spawnSync('pkcs11-tool', ['--help']).error === undefined
    ? ''
    : ' (skipped: needs softhsm2 and opensc)';
const PIN = '246810';

const processes = createProcesses();
afterAll(processes.end);

describe.skipIf(missing !== '')(`a master key that a token unwraps${missing}`, () => {
  const folder = processes.folder();
  const env = { PATH: process.env['PATH']!, SOFTHSM2_CONF: join(folder, 'softhsm2.conf') };
  const run = (program: string, args: readonly string[], input?: string) =>
    execFileSync(program, args, { env, input, stdio: ['pipe', 'pipe', 'ignore'] });
  const command = join(folder, 'unwrap');

  function writeCommand(pin: string): void {
    const lines = [
      '#!/bin/sh',
      `PIN=${pin} SOFTHSM2_CONF=${env.SOFTHSM2_CONF} exec pkcs11-tool --module ${MODULE} --token-label acuse \\`,
      `  --login --pin env:PIN --id 01 --decrypt --mechanism RSA-PKCS-OAEP --hash-algorithm SHA-1 --mgf MGF1-SHA1 \\`,
      `  --input-file ${join(folder, 'master.key.wrapped')}`,
    ];
    writeFileSync(command, `${lines.join('\n')}\n`, { mode: 0o700 });
  }

  test('serves, and is examined; with a token that does not open, no start', async () => {
    mkdirSync(join(folder, 'tokens'));
    writeFileSync(env.SOFTHSM2_CONF, `directories.tokendir = ${join(folder, 'tokens')}\n`);
    run('softhsm2-util', ['--init-token', '--free', '--label', 'acuse', '--so-pin', '1234', '--pin', PIN]);
    const token = ['--module', MODULE, '--token-label', 'acuse', '--login', '--pin', PIN, '--id', '01'];
    run('pkcs11-tool', [...token, '--keypairgen', '--key-type', 'rsa:2048', '--label', 'acuse']);
    const publicKey = join(folder, 'public.der');
    run('pkcs11-tool', [...token, '--read-object', '--type', 'pubkey', '--output-file', publicKey]);
    const oaep = ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha1', 'rsa_mgf1_md:sha1'];
    run(
      'openssl',
      [
        ...['pkeyutl', '-encrypt', '-pubin', '-inkey', publicKey, '-keyform', 'DER'],
        ...oaep.flatMap((option) => ['-pkeyopt', option]),
        ...['-out', join(folder, 'master.key.wrapped')],
      ],
      randomBytes(32).toString('base64'),
    );
    writeCommand(PIN);

    const settings = { ACUSE_MASTER_KEY: '', ACUSE_MASTER_KEY_COMMAND: command };
    const databaseUrl = await processes.database();
    const service = await processes.start({ databaseUrl, env: settings });
    const { body } = await service.send();
    await eventually(async () => {
      const message = (await service.call('GET', `/v1/messages/${body.id}`)).body;
      return message.sealed_at !== null && message.status === 'sent';
    });
    const { dataDir } = service;
    // Neither the key nor a file of it stays.
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false);
    expect(await service.stop()).toBe(0);

    const here = { ...settings, DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: dataDir };
    const doctor = startCommand(['doctor', '--json'], here);
    await doctor.ended;
    expect(doctor.stdout()).toContain("It opens the log's key and all other secrets.");
    const again = await processes.start({ databaseUrl, dataDir, env: settings });
    expect((await again.call('GET', `/v1/messages/${body.id}`)).status).toBe(200);
    expect(await again.stop()).toBe(0);

    writeCommand('135790');
    const refused = startCommand(['serve', '--ports', 'auto'], here);
    expect(await refused.ended).toBe(1);
    expect(refused.stderr()).toMatch(/ACUSE_MASTER_KEY_COMMAND: .*unwrap ended with 1, and said ".*"/);
  });
});
