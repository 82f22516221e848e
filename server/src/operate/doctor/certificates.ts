import { X509Certificate } from 'node:crypto';
import { connect, type PeerCertificate, rootCertificates } from 'node:tls';
import type { Config } from '../../config/config-type.ts';
import { readCertificate } from '../../platform/certificate-files.ts';
import { isLoopbackAddress } from '../../platform/network/public-address.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';
import { addressOf } from './probes.ts';

const DAY_MS = 86_400_000;
/** ACME clients renew 30 days before the end. */
const WARN_DAYS = 14;
const CONNECT_MS = 5_000;

/** From the files for SMTP, as served for the public address. */
export const certificates: Group = async (deps, _options, signal) => {
  const { config, clock } = deps;
  const now = clock.now();
  return [checkFiles(config, now), await checkPublicUrl(config, now, signal)].flat();
};

function checkFiles(config: Config, now: Date): Finding[] {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile, hostname } = config;
  if (config.delivery === 'sandbox') return [];
  if (certFile === null || keyFile === null) {
    const detail = 'No certificate: bounces come in without TLS, and SMTP submission is off.';
    const fix = `have acuse setup order one for ${hostname}, or another ACME client, and set ACUSE_TLS_CERT_FILE and ACUSE_TLS_KEY_FILE`;
    return [fault('warning', ['certificate.smtp', hostname], detail, fix)];
  }
  const place = ['certificate.smtp', certFile] as const;
  try {
    const { certPem } = readCertificate({ certFile, keyFile });
    return [judgeCertificate(place, certPem, hostname, now)];
  } catch (error) {
    const fix = 'write both files again from one order of your ACME client, readable by the service';
    return [fault('problem', place, (error as Error).message, fix)];
  }
}

/** `pem`: with its chain. */
export function judgeCertificate(
  place: readonly [string, string],
  pem: string,
  hostname: string,
  now: Date,
): Finding {
  const chain = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  );
  const [leaf] = chain;
  if (leaf === undefined)
    return fault('problem', place, 'The file has no certificate.', 'write the full chain to it');
  const timing = judgeTime(place, new Date(leaf.validFrom), new Date(leaf.validTo), now);
  if (timing !== null && timing.status === 'problem') return timing;
  if (leaf.checkHost(hostname) === undefined)
    return fault(
      'problem',
      place,
      `It is for ${leaf.subjectAltName ?? leaf.subject}, not for ${hostname}.`,
      `order one for ${hostname}, or correct ACUSE_HOSTNAME`,
    );
  if (leaf.issuer === leaf.subject)
    return fault(
      'advice',
      place,
      'It is self-signed: servers that verify (MTA-STS, mail programs) refuse it.',
      'have an ACME client issue one',
    );
  if (!isComplete(chain))
    return fault(
      'warning',
      place,
      'The file lacks the certificates between it and its root: many clients refuse it.',
      'set ACUSE_TLS_CERT_FILE to the full chain (fullchain.pem)',
    );
  return timing ?? ok(...place, `Valid for ${hostname} until ${new Date(leaf.validTo).toISOString()}.`);
}

/** Null: valid for long. */
function judgeTime(place: readonly [string, string], from: Date, to: Date, now: Date): Finding | null {
  const renew = 'renew it (certbot renew, or your ACME client); new files are in use within a minute';
  if (to <= now) return fault('problem', place, `It expired at ${to.toISOString()}.`, renew);
  if (from > now)
    return fault(
      'problem',
      place,
      `It is not valid before ${from.toISOString()}.`,
      'check the clock of this machine',
    );
  const days = Math.floor((to.getTime() - now.getTime()) / DAY_MS);
  return days >= WARN_DAYS ? null : fault('warning', place, `It expires in ${days} days.`, renew);
}

/** Chained up to a system root or itself. */
function isComplete(chain: readonly X509Certificate[]): boolean {
  const last = chain.at(-1)!;
  const linked = chain.every((one, at) => at === 0 || chain[at - 1]!.checkIssued(one));
  if (!linked) return false;
  if (last.issuer === last.subject || chain.length > 1) return true;
  return rootCertificates.some((root) => last.checkIssued(new X509Certificate(root)));
}

async function checkPublicUrl(config: Config, now: Date, signal: AbortSignal): Promise<Finding[]> {
  const { publicUrl, delivery, host } = config;
  const url = new URL(publicUrl);
  const place = ['certificate.public', url.host] as const;
  if (url.protocol === 'http:') {
    if (delivery === 'sandbox') return [];
    const fix = 'put a TLS proxy in front, and set ACUSE_PUBLIC_URL to its https address';
    if (url.hostname === 'localhost' && isLoopbackAddress(host))
      return [fault('advice', place, 'API and portal answer on this machine alone.', `for others: ${fix}`)];
    const detail = `ACUSE_PUBLIC_URL is ${publicUrl}: API keys would travel in clear text.`;
    return [fault('warning', place, detail, fix)];
  }
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const served = await addressOf(name, config).then(
    (address) => servedBy({ name, address, port: Number(url.port || 443) }, signal),
    (error: Error) => error.message,
  );
  if (typeof served === 'string') {
    const fix =
      'check that the name resolves to the proxy in front of the API, and that its certificate is of an authority that clients trust, with its chain';
    return [fault('problem', place, `TLS to the public address fails: ${served}`, fix)];
  }
  const to = new Date(served.valid_to);
  const timing = judgeTime(place, new Date(served.valid_from), to, now);
  return [timing ?? ok(...place, `Valid until ${to.toISOString()}.`)];
}

function servedBy(
  { name, address, port }: { name: string; address: string; port: number },
  signal: AbortSignal,
): Promise<PeerCertificate | string> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, servername: name });
    const finish = (result: PeerCertificate | string) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners();
      socket.on('error', () => {});
      socket.destroy();
      resolve(result);
    };
    const onAbort = () => finish('no answer');
    const timer = setTimeout(() => finish(`no answer within ${CONNECT_MS / 1_000} s`), CONNECT_MS);
    signal.addEventListener('abort', onAbort);
    socket.on('secureConnect', () => finish(socket.getPeerCertificate()));
    socket.on('error', (error) => finish(error.message));
  });
}
