import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '@acuse/evidence/checks';
import { verifyBundle } from '@acuse/evidence/verify';
import { startServer } from '../app/main.ts';
import { type Environment, loadConfig } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { ed25519 } from '../platform/ed25519.ts';
import { createLog } from '../platform/logger.ts';
import { ownCommand } from '../platform/own-command.ts';
import { sha256 } from '../platform/sha256.ts';
import type { SandboxFile } from '../sandbox/sandbox-file.ts';
import { readSandboxFile } from './api-client.ts';
import { type Command, CommandError, defineCommand, EXIT } from './command.ts';
import { createDemoClient, type DemoClient, type DemoEvidence, isAlive, waitFor } from './demo/client.ts';
import { invoicePdf } from './demo/invoice.ts';
import { unpackBundle, verifyWithOpenssl } from './demo/openssl.ts';
import { seedSandbox } from './demo/seed/seed.ts';
import type { Lines, Output } from './output.ts';

const SENT_WITHIN_MS = 30_000;
const SEALED_WITHIN_MS = 60_000;

const demo = defineCommand({
  name: 'demo',
  summary: 'Sends a certified message in the sandbox and verifies its proof, end to end',
  details:
    'Uses the service that runs on this data folder, or starts one for the duration. Exit code 0: verified.',
  options: {
    to: { type: 'string', value: '<address>', doc: 'recipient (default: delivered@sandbox.test)' },
    seed: { type: 'boolean', doc: 'fill a new data folder with two weeks of believable mail instead' },
  },
  examples: ['acuse demo', 'acuse demo --to slow@sandbox.test', 'acuse demo --json'],
  async run({ options, out, env }) {
    const { config } = loadConfig(env);
    if (config.delivery !== 'sandbox') {
      throw new CommandError(
        EXIT.usage,
        'not_a_sandbox',
        'the demo runs only in the sandbox: unset ACUSE_DELIVERY and ACUSE_SMARTHOST',
      );
    }
    if (options.seed) {
      await seedSandbox(config, out);
      return EXIT.ok;
    }
    const service = await findOrStart(config, out);
    try {
      const { sandbox } = service;
      return await runDemo({ sandbox, config, env, out }, options.to ?? 'delivered@sandbox.test');
    } finally {
      await service.stop();
    }
  },
});

export const demoCommands: readonly Command[] = [demo];

async function findOrStart(
  config: Config,
  out: Output,
): Promise<{ sandbox: SandboxFile; stop(): Promise<void> }> {
  const known = readSandboxFile(config.dataDir);
  if (known !== null && (await isAlive(known.base_url))) {
    out.progress(`Using the service at ${known.base_url}`);
    return { sandbox: known, stop: async () => {} };
  }
  out.progress('Starting the service …');
  const server = await startServer(config, createLog('error'));
  if (server.sandbox === null) {
    await server.stop();
    throw new CommandError(EXIT.usage, 'roles_missing', 'the demo needs all roles: unset ACUSE_ROLES');
  }
  return { sandbox: server.sandbox, stop: server.stop };
}

interface Demo {
  readonly sandbox: SandboxFile;
  readonly config: Config;
  readonly env: Environment;
  readonly out: Output;
}

async function runDemo({ sandbox, config, env, out }: Demo, to: string): Promise<0 | 1> {
  const client = createDemoClient(sandbox);
  const startedMs = performance.now();
  const step = (name: string, detail: string) =>
    out.progress(
      `${((performance.now() - startedMs) / 1_000).toFixed(2).padStart(7)} s  ${name.padEnd(8)} ${detail}`,
    );

  out.progress('');
  const queued = await client.send(demoMessage(to), randomUUID());
  step('queued', `message ${queued.id}, committed to disk`);
  const sent = await waitFor(
    () => client.message(queued.id),
    (it) => it.status !== 'queued' && it.status !== 'deferred',
    SENT_WITHIN_MS,
    'delivery',
  );
  step(sent.status, await replyText(client, sent));
  const sealed = await waitFor(
    () => client.message(queued.id),
    (it) => it.sealed_at !== null,
    SEALED_WITHIN_MS,
    'sealing',
  );
  step('sealed', `time-stamped at ${sealed.sealed_at}`);
  const evidence = await waitFor(
    () => client.evidence(queued.id),
    (it) => it?.delivery.some((outcome) => outcome.sealed_at !== null) === true,
    SEALED_WITHIN_MS,
    'sealing the outcome',
  );
  step('outcome', outcomeText(evidence));

  const folder = join(config.dataDir, 'demo', queued.id);
  mkdirSync(folder, { recursive: true });
  const bytes = await client.bundle(queued.id);
  const zip = `${folder}.zip`;
  writeFileSync(zip, bytes);
  const files = unpackBundle(bytes, folder);
  step('bundle', `${files.length} files, ${bytes.length} bytes`);

  const verification = await verifyBundle(bytes, { sha256, ed25519, now: new Date() });
  for (const check of verification.checks.filter(isShown)) {
    step(check.ok ? '  ✓' : '  ✗', `${check.name}: ${check.detail}`);
  }
  const openssl = await verifyWithOpenssl(folder, 'chain/constancia.pem');
  step('openssl', openssl.ran ? `${openssl.said} (${openssl.command})` : `skipped: ${openssl.reason}`);

  const ok = verification.valid && (!openssl.ran || openssl.ok);
  const result = {
    verified: ok,
    message_id: queued.id,
    status: sent.status,
    sealed_at: sealed.sealed_at,
    folder,
    bundle: zip,
    checks: verification.checks,
    facts: verification.facts,
    openssl,
  };
  out.answer(result, () => closing(ok, folder, zip, ownCommand(env)));
  return ok ? EXIT.ok : EXIT.failed;
}

function isShown(check: Check): boolean {
  return !check.ok || !check.name.includes('.');
}

function demoMessage(to: string): object {
  return {
    from: 'Acuse Demo <demo@sandbox.test>',
    to,
    subject: 'Factura 2026-001 · certified',
    text: 'Hello,\n\nyour invoice is attached. This message is certified: its proof can be checked without us.\n',
    certified: true,
    attachments: [
      {
        filename: 'factura-2026-001.pdf',
        content_type: 'application/pdf',
        content: invoicePdf('Factura 2026-001  Total 1,160.00 MXN').toString('base64'),
      },
    ],
    tags: ['demo'],
  };
}

async function replyText(
  client: DemoClient,
  message: Awaited<ReturnType<DemoClient['message']>>,
): Promise<string> {
  const { last_reply: reply } = message;
  const attempts = await client.attempts(message.id);
  const tls = attempts.data.at(-1)?.sessions.at(-1)?.tls?.version ?? 'no TLS';
  if (reply === null) return tls;
  return `${reply.mx ?? ''} answered ${reply.code ?? ''} ${reply.enhanced ?? ''} ${reply.text} (${tls})`.replace(
    / +/g,
    ' ',
  );
}

function outcomeText(evidence: DemoEvidence | null): string {
  const [first] = evidence?.delivery ?? [];
  return `${first?.kind} is leaf ${first?.leaf_index} of the log, chained to the message's own`;
}

function closing(ok: boolean, folder: string, zip: string, command: string): Lines {
  return [
    '',
    `  The proof is in ${folder}`,
    `  and as one file ${zip}`,
    `  Read VERIFY.md there: it needs none of our software. Or: ${command} verify <that file>`,
    '  Development time-stamp: not a NOM-151 constancia.',
    '',
    ok ? 'verified' : 'NOT VERIFIED',
  ];
}
