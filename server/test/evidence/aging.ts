import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type Bundle, writeBundle } from '@acuse/evidence/bundle';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { type Issued, positiveSerial } from '@acuse/tsa/certificates';
import { developmentPolicy } from '@acuse/tsa/development';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { unpackBundle } from '../../src/cli/demo/openssl.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { startTsa, type TestTsa } from './support.ts';

/**
 * Years in a test: the service's clock begins in the past and is set forward, up to now, so that OpenSSL,
 * which asks the real one, agrees.
 */

export const DAY_MS = 86_400_000;

export class PastClock implements Clock {
  #behindMs: number;
  constructor(daysBehind: number) {
    this.#behindMs = daysBehind * DAY_MS;
  }
  now(): Date {
    return new Date(Date.now() - this.#behindMs);
  }
  monotonicMs(): number {
    return performance.now();
  }
  forward(days: number): void {
    this.#behindMs -= days * DAY_MS;
  }
}

export interface AgingTsa extends TestTsa {
  /**
   * A new signer under the same root, good from a day before the clock's now and for so many days from it.
   */
  renewSigner(lastsDays: number): Issued;
}

/** An authority whose signers come and go. The first one lasts `lastsDays`. */
export async function startAgingTsa(clock: Clock, lastsDays: number): Promise<AgingTsa> {
  const lab = new FaultLab(() => clock.now(), randomBytes);
  const signerFor = (days: number) =>
    lab.signerWith({
      notBefore: new Date(clock.now().getTime() - DAY_MS),
      notAfter: new Date(clock.now().getTime() + days * DAY_MS),
    });
  const responder = {
    ...lab.responder,
    signer: signerFor(lastsDays),
    chain: [lab.root.der],
    clock: () => clock.now(),
    serial: () => positiveSerial(randomBytes),
  };
  const policy = { ...developmentPolicy(lab.root), roots: [certificateToPem(lab.root.der)] };
  const tsa = await startTsa(undefined, { responder, policy });
  return {
    ...tsa,
    renewSigner(days) {
      responder.signer = signerFor(days);
      return responder.signer;
    },
  };
}

/** Runs every command of a bundle's VERIFY.md: what is said up to the first that fails, or null. */
export function firstFailure(bundle: Bundle): string | null {
  const { status, said } = runGuide(bundle);
  return status === 0 ? null : said;
}

/** All that the commands of VERIFY.md say. */
export const sayings = (bundle: Bundle) => runGuide(bundle).said;

function runGuide(bundle: Bundle): { status: number | null; said: string } {
  const folder = tempFolder();
  unpackBundle(writeBundle(bundle), folder);
  const guide = Buffer.from(bundle.get('VERIFY.md')!).toString();
  const commands = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!).join('\n');
  const run = spawnSync('sh', ['-e', '-c', commands], { cwd: folder, encoding: 'utf8' });
  return { status: run.status, said: `${run.stdout}${run.stderr}` };
}
