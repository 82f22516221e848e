import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '@acuse/evidence/verify';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import { CommandError, EXIT } from '../command.ts';
import { createDemoClient, waitFor } from '../demo/client.ts';

/** Long enough for a receiver that defers a stranger's first message (ms). */
const SENT_WITHIN_MS = 20 * 60_000;
const SEALED_WITHIN_MS = 120_000;

export interface TestMessage {
  readonly baseUrl: string;
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly hostname: string;
  readonly dataDir: string;
  say(line: string): void;
}

/** Sends a certified message and holds its bundle to the message: the whole way, as customers take it. */
export async function sendTestMessage(test: TestMessage): Promise<{ id: string; bundle: string }> {
  const { baseUrl, key, from, to, hostname, dataDir, say } = test;
  const client = createDemoClient({ base_url: baseUrl, api_key: key });
  const { id } = await client.send(bodyOf(from, to, hostname), randomUUID());
  say(`sent to ${to} as message ${id}; waiting for the receiver's answer …`);
  let told = '';
  const sent = await waitFor(
    async () => {
      const message = await client.message(id);
      const said = message.last_reply === null ? '' : `${message.status}: ${replyOf(message.last_reply)}`;
      if (said !== told) say(said);
      told = said;
      return message;
    },
    ({ status }) => status !== 'queued' && status !== 'deferred',
    SENT_WITHIN_MS,
    'delivery',
  );
  if (sent.status !== 'sent' && sent.status !== 'delivered')
    throw new CommandError(
      EXIT.failed,
      'not_delivered',
      `the test message was not delivered (${sent.status}): acuse queue show ${id}, and acuse doctor, say why`,
    );
  await waitFor(
    () => client.evidence(id),
    (it) => it?.delivery.some((outcome) => outcome.sealed_at !== null) === true,
    SEALED_WITHIN_MS,
    'sealing',
  );
  const bytes = await client.bundle(id);
  const { valid, checks } = await verifyBundle(bytes, { sha256, ed25519, now: new Date() });
  const failed = checks.find((check) => !check.ok);
  if (!valid || failed !== undefined)
    throw new CommandError(
      EXIT.failed,
      'not_verified',
      `the bundle of the test message does not verify: ${failed?.name ?? ''} ${failed?.detail ?? ''}`,
    );
  const bundle = join(dataDir, 'setup', `${id}.zip`);
  mkdirSync(join(dataDir, 'setup'), { recursive: true, mode: 0o700 });
  writeFileSync(bundle, bytes, { mode: 0o600 });
  return { id, bundle };
}

function replyOf(reply: { code: number | null; text: string; mx: string | null }): string {
  return [reply.mx, reply.code, reply.text].filter((each) => each !== null).join(' ');
}

function bodyOf(from: string, to: string, hostname: string): object {
  return {
    from: `Acuse <${from}>`,
    to,
    subject: `${hostname} sends sealed mail`,
    text: `This message left ${hostname} through Acuse.\n\nIt is certified: its proof was sealed and verified by acuse setup. Look at its headers: SPF, DKIM and DMARC should pass.\n`,
    certified: true,
    tags: ['setup'],
  };
}
