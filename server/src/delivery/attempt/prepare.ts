import { isAscii } from 'node:buffer';
import { type DkimSigner, dkimSignatures } from '@acuse/mail/dkim';
import type { DsnRequest, OutgoingMessage } from '@acuse/mail/smtp/commands';
import { scanMessage } from '@acuse/mail/smtp/message-data';
import type { Clock } from '../../platform/clock.ts';
import type { Stop } from '../../platform/light-abort.ts';
import type { Log } from '../../platform/logger.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { type ClaimedMessage, domainOf } from '../claim/claimed-message.ts';
import { LARGE_MESSAGE_BYTES, signLarge } from '../large-message.ts';
import { AHEAD_BYTES, type ContentLoader } from './content-loader.ts';
import type { InLine } from './destinations.ts';
import type { Behind } from './pipelining.ts';
import type { FindSigners } from './signers.ts';
import type { StepGuard } from './step-guard.ts';

export interface PrepareDeps {
  readonly clock: Clock;
  isPaused(item: ClaimedMessage): boolean;
  readonly contents: ContentLoader;
  readonly threads: Threads;
  readonly log: Pick<Log, 'warn'>;
  readonly findSigners: FindSigners;
  readonly mayGoOn: StepGuard;
}

/** Octets of a header section quoted in reports. */
const MAX_HEADER_BYTES = 65_536;

export interface Prepared {
  readonly message: OutgoingMessage;
  readonly header: Uint8Array;
  /** Its sender had rather see it arrive in clear text than not. RFC 8689 §3 */
  readonly waivesTls: boolean;
  release(): void;
}

/** A waiting message; a small one is prepared meanwhile and may be pipelined. */
export interface Preparing extends InLine {
  prepared(): Promise<Prepared | null>;
  readonly behind: Promise<Behind> | null;
}

export function createPreparing(deps: PrepareDeps, item: ClaimedMessage, signal: Stop): Preparing {
  let early: Promise<Prepared | null> | null = null;
  let ready: Prepared | null = null;
  let behind: Promise<Behind> | null = null;
  return {
    waits() {
      if (item.sizeBytes > AHEAD_BYTES) return;
      early = prepare(deps, item);
      early.then(
        (prepared) => {
          ready = prepared;
        },
        // Retried in its turn.
        () => {
          early = null;
        },
      );
    },
    beginBehind(chance) {
      if (ready === null || signal.aborted || deps.isPaused(item) || !chance.fits(ready.message)) return null;
      // Only a synchronous check: an asynchronous answer would come too late.
      if (!deps.mayGoOn.atOnce(item)) return null;
      behind = chance.behind;
      return ready.message;
    },
    prepared: () => early?.catch(() => prepare(deps, item)) ?? prepare(deps, item),
    get behind() {
      return behind;
    },
  };
}

async function prepare(deps: PrepareDeps, item: ClaimedMessage): Promise<Prepared | null> {
  const content = await deps.contents.load(item);
  if (content === null) return null;
  const { raw, release } = content;
  try {
    const header = headerOf(raw);
    const signers = await deps.findSigners(item.tenantId, domainOf(item.senderAddress));
    const at = deps.clock.now();
    const signed =
      raw.length <= LARGE_MESSAGE_BYTES
        ? await signedData(signers, raw, at)
        : await signLarge(deps, item.tenantId, raw, { signers, at });
    const message: OutgoingMessage = {
      reversePath: item.reversePath,
      forwardPath: item.recipientAddress,
      ...signed,
      // Whatever the envelope: header mailboxes may have UTF-8 local parts. RFC 6532 §3.2
      smtputf8: !isAscii(header),
      dsn: dsnRequest(item),
      mayGoOn: (step) => deps.mayGoOn(item, step),
    };
    return { message, header, waivesTls: waivesTls(header), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Reads a header that we composed, so the field is one line. */
function waivesTls(header: Buffer): boolean {
  return /^TLS-Required: No\r$/im.test(header.toString('latin1'));
}

async function signedData(
  signers: readonly DkimSigner[],
  raw: Uint8Array,
  at: Date,
): Promise<Pick<OutgoingMessage, 'data' | 'scan'>> {
  const data = signers.length === 0 ? [raw] : [await dkimSignatures(signers, raw, at.getTime()), raw];
  return { data, scan: scanMessage(data) };
}

/** With DSN: failures always, success for certified mail. RFC 3461 §4.1 */
function dsnRequest(item: ClaimedMessage): DsnRequest {
  return {
    ret: 'HDRS',
    envid: item.messageId,
    notify: item.certified ? ['SUCCESS', 'FAILURE', 'DELAY'] : ['FAILURE', 'DELAY'],
    originalRecipient: item.recipientAddress,
  };
}

/** A copy, so that a waiting report does not hold 25 MiB. */
function headerOf(raw: Uint8Array): Buffer {
  const buffer = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const end = buffer.subarray(0, MAX_HEADER_BYTES).indexOf('\r\n\r\n');
  return Buffer.from(buffer.subarray(0, end === -1 ? 0 : end + 2));
}
