import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createSealing } from '../../src/sealing/sealing.ts';
import { createAuthorities } from '../../src/sealing/stamp/authorities.ts';
import { createRfc3161HttpSealer } from '../../src/sealing/stamp/rfc3161-http.ts';
import type { TestService } from './service.ts';

/** A certified message that is in the log under a constancia, with its bundle as the API hands it out. */
export interface SealedMessage {
  readonly id: string;
  readonly raw: Buffer;
  readonly bundle: Buffer;
  /** Where the service listens now. */
  readonly base: string;
}

const SEALED_WITHIN_MS = 15_000;

/** Sends, sequences and stamps over HTTP with the development authority. */
export async function sealMessage(service: TestService, fields: object = {}): Promise<SealedMessage> {
  const sent = await service.send(fields);
  const { id } = sent.body;
  const authority = await listening(service);
  const { db, services } = service;
  const sealing = createSealing({
    db,
    clock: services.clock,
    log: pino({ level: 'silent' }),
    secrets: services.secrets,
    authorities: createAuthorities({
      db,
      clock: services.clock,
      log: services.log,
      sealers: [
        createRfc3161HttpSealer({
          url: `${authority}/tsa`,
          policy: services.authority.policy,
          credentials: { kind: 'none' },
          random: randomBytes,
        }),
      ],
    }),
    sealIntervalMs: 100,
    random: Math.random,
  });
  sealing.start();
  try {
    await sealing.sealNow();
    sealing.wake();
    const deadline = Date.now() + SEALED_WITHIN_MS;
    for (;;) {
      const bundle = await service.call('GET', `/v1/messages/${id}/proof-bundle`);
      if (bundle.status === 200) {
        const raw = await service.call('GET', `/v1/messages/${id}/raw`);
        return { id, raw: raw.raw, bundle: bundle.raw, base: authority };
      }
      if (Date.now() > deadline) throw new Error(`not sealed: ${JSON.stringify(bundle.body)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await sealing.stop();
  }
}

async function listening({ http }: TestService): Promise<string> {
  const address = http.app.server.address() as { port: number } | null;
  return address === null
    ? http.app.listen({ host: '127.0.0.1', port: 0 })
    : `http://127.0.0.1:${address.port}`;
}
