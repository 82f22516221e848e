import type { Config } from '../config/config-type.ts';
import { type AcmeOrder, isFileDue, orderCertificate } from '../platform/acme.ts';
import type { Clock } from '../platform/clock.ts';
import { every, type Repeating } from '../platform/every.ts';
import type { Log } from '../platform/logger.ts';

/**
 * How often the certificate is checked (ms). A failed order is repeated then, well below the authorities'
 * limits (Let's Encrypt: five failures of a name an hour).
 */
const LOOK_EVERY_MS = 3_600_000;

/** The certificate order of the configuration; null: something else renews it. */
export function acmeOrderOf(config: Config): AcmeOrder | null {
  const { acmeDirectory: directory, tlsCertFile: certFile, tlsKeyFile: keyFile, hostname, acmePort } = config;
  if (directory === null || certFile === null || keyFile === null) return null;
  return { directory, certFile, keyFile, hostname, port: acmePort };
}

/**
 * Renews the certificate before it ends, in a process whose listeners serve it; null: nothing to do. If
 * several processes do, the port lets one order at a time, and the others find its certificate. The listeners
 * load new files by themselves.
 */
export function keepCertificate(
  { config, clock, log }: { config: Config; clock: Clock; log: Log },
  lookEveryMs = LOOK_EVERY_MS,
): Repeating | null {
  const order = acmeOrderOf(config);
  const serves = config.roles.some((role) => role === 'submission' || role === 'return-path');
  if (order === null || !serves || config.delivery === 'sandbox') return null;
  async function look(): Promise<void> {
    if (!isFileDue(order!, clock.now())) return;
    await orderCertificate(order!);
    log.info({ hostname: order!.hostname }, 'the TLS certificate was renewed');
  }
  return every(lookEveryMs, look, {
    atOnce: true,
    onError: (error) =>
      log.error({ err: error }, 'the TLS certificate could not be renewed; trying again in an hour'),
  });
}
