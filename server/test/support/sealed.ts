import { sealAll, worldOf } from '../evidence/seal-all.ts';
import { sealerOf } from '../evidence/support.ts';
import type { TestService } from './service.ts';

/** A certified message that is in the log under a constancia, with its bundle as the API hands it out. */
export interface SealedMessage {
  readonly id: string;
  readonly raw: Buffer;
  readonly bundle: Buffer;
  /** Where the service listens now. */
  readonly base: string;
}

/** Sends, sequences and stamps over HTTP with the development authority. */
export async function sealMessage(service: TestService, fields: object = {}): Promise<SealedMessage> {
  const sent = await service.send(fields);
  const { id } = sent.body;
  const authority = await listening(service);
  const { policy } = service.services.authority;
  await sealAll(worldOf(service), sealerOf({ url: `${authority}/tsa`, policy }));
  const bundle = await service.call('GET', `/v1/messages/${id}/proof-bundle`);
  if (bundle.status !== 200) throw new Error(`not sealed: ${JSON.stringify(bundle.body)}`);
  const raw = await service.call('GET', `/v1/messages/${id}/raw`);
  return { id, raw: raw.raw, bundle: bundle.raw, base: authority };
}

async function listening({ http }: TestService): Promise<string> {
  const address = http.app.server.address() as { port: number } | null;
  return address === null
    ? http.app.listen({ host: '127.0.0.1', port: 0 })
    : `http://127.0.0.1:${address.port}`;
}
