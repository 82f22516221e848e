/** How much of the message that was sealed is in the one that somebody received? */
import { type Sha256, toHex } from './bytes.ts';
import { type Check, Checklist } from './checks.ts';
import { verifyDkim } from './dkim-verify.ts';
import { EvidenceError } from './errors.ts';
import { type MessageLayers, messageLayers } from './layers.ts';
import type { MessageManifest } from './manifest.ts';
import type { Openings } from './openings.ts';
import { splitMessage, toCrlf } from './relaxed.ts';
import { isSamePart } from './verify-content.ts';

/** Bytes of a received message: ours, and what relays put before it. */
export const MAX_EML_BYTES = 64 * 1024 * 1024;

/** Service-Evidence fields that are tried as the start of the sealed message. */
const MAX_STARTS = 8;

/** L0: byte for byte. L1: header and body but for white space. L2: every part that the bundle opens. */
export type EmlReport = { L0: boolean; L1: boolean; L2: boolean; checks: Check[] };

/** What matches and what does not; line ends that a mail program changed count for nothing. */
export async function compareEml(
  received: Uint8Array,
  manifest: MessageManifest,
  openings: Openings,
  sha256: Sha256,
): Promise<EmlReport> {
  const list = new Checklist();
  const message = list.run('eml.readable', () => {
    if (received.length > MAX_EML_BYTES) throw new EvidenceError('eml', `larger than ${MAX_EML_BYTES} bytes`);
    const bytes = toCrlf(received);
    return {
      value: { bytes, layers: messageLayers(bytes, sha256) },
      detail: 'the received message can be read',
    };
  });
  if (message === undefined) return { L0: false, L1: false, L2: false, checks: list.checks };
  const { bytes, layers } = message;
  const L0 = list.run('eml.L0', () => compareBytes(bytes, openings, sha256)) === true;
  const header = list.run('eml.L1.header', () => compareHash('header', layers, openings)) === true;
  const body = list.run('eml.L1.body', () => compareHash('body', layers, openings)) === true;
  const L2 = list.run('eml.L2', () => compareParts(layers, openings)) === true;
  await list.runAsync('eml.dkim', async () => {
    const keys = await verifyDkim(bytes, manifest.dkim, sha256);
    const names = keys.map(({ domain, selector, algorithm }) => `${domain} (${selector}, ${algorithm})`);
    return { value: true, detail: `signed by ${names.join(' and ')}, with the key recorded at acceptance` };
  });
  return { L0, L1: header && body, L2, checks: list.checks };
}

type Compared = { value: boolean; detail: string };

/** The sealed message is the end of the received one: relays only put fields before it. */
function compareBytes(message: Uint8Array, { mail }: Openings, sha256: Sha256): Compared {
  if (mail.raw === undefined) throw new EvidenceError('eml', 'the bundle does not open the whole message');
  const starts = splitMessage(message)
    .headers.filter(({ name }) => name.toLowerCase() === 'service-evidence')
    .map(({ raw }) => raw.byteOffset - message.byteOffset);
  for (const start of starts.slice(0, MAX_STARTS))
    if (toHex(sha256(message.subarray(start))) === mail.raw.sha256)
      return { value: true, detail: `byte for byte, behind ${start} bytes that relays added` };
  const reason =
    starts.length === 0 ? 'there is no Service-Evidence field' : 'something was changed on the way';
  throw new EvidenceError('eml', `not byte for byte: ${reason}`);
}

function compareHash(layer: 'header' | 'body', layers: MessageLayers, { mail }: Openings): Compared {
  const opening = mail[layer];
  if (opening === undefined) throw new EvidenceError('eml', `the bundle does not open the ${layer}`);
  if (toHex(layers[layer]) !== opening.sha256)
    throw new EvidenceError('eml', `the ${layer} was changed on the way`);
  return { value: true, detail: `the ${layer} is the same but for white space` };
}

function compareParts(layers: MessageLayers, { mail }: Openings): Compared {
  if (mail.parts.length === 0) throw new EvidenceError('eml', 'the bundle opens no part');
  const lost = mail.parts.filter((wanted) => !layers.parts.some((found) => isSamePart(found, wanted)));
  const count = `${mail.parts.length - lost.length} of ${mail.parts.length} parts`;
  if (lost.length > 0)
    throw new EvidenceError(
      'eml',
      `${count} are the same; missing: ${lost.map(({ index }) => index).join(', ')}`,
    );
  return { value: true, detail: `${count} are the same` };
}
