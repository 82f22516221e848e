import { Resolver } from 'node:dns/promises';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { openAuthorities, type SecretOf } from '../../evidence/stamp/open-authorities.ts';
import { judgeCertificate } from '../../operate/doctor/certificates.ts';
import { createReverse } from '../../operate/doctor/probes.ts';
import { readDirectory } from '../../platform/acme.ts';
import { readCertificate } from '../../platform/certificate-files.ts';
import { tryDatabase } from '../../platform/database/try-database.ts';
import { tryPort } from '../../platform/network/listen.ts';
import { isPublicAddress } from '../../platform/network/public-address.ts';
import type { Looked } from './dialogue.ts';
import type { Answers } from './question.ts';

interface ProbeDeps {
  readonly dnsServers: readonly string[];
  readonly bouncePort: number;
  readonly bounceHost?: string | undefined;
  readonly secretOf: SecretOf;
  readonly now: () => Date;
}

type Probe = (value: string, known: Answers, deps: ProbeDeps) => Promise<Looked> | Looked;

const BOUNCE_PORT = 'ACUSE_RETURN_PATH_PORT';
const LOOKUP = { timeout: 3_000, tries: 2 };

const PROBES: Readonly<Record<string, Probe>> = {
  hostname: async (value, _known, { dnsServers }) => ({ notes: [await describeHost(value, dnsServers)] }),
  address: async (value, { hostname = '' }, { dnsServers }) => ({
    notes: await Promise.all(value.split(',').map((each) => describeAddress(each, hostname, dnsServers))),
  }),
  // Checked here, so that nobody learns of it after the last question.
  delivery: async (_value, _known, { bouncePort, bounceHost }) => ({
    ...(await refusedBy(() => tryPort(BOUNCE_PORT, bouncePort, bounceHost))),
    about: BOUNCE_PORT,
  }),
  acme_directory: async (value) =>
    refusedBy(async () => {
      const { termsOfService } = await readDirectory(value);
      return termsOfService === null ? [] : [`its terms of service: ${termsOfService}`];
    }),
  acme_port: async (value) => refusedBy(() => tryPort('ACUSE_ACME_PORT', Number(value))),
  key_file: (keyFile, { cert_file: certFile = '', hostname = '' }, { now }) =>
    refusedBy(() => judgeFiles(certFile, keyFile, hostname, now())),
  database: async (value) => (value === 'embedded' ? {} : refusedBy(() => tryDatabase(value))),
  authorities: (value, _known, { secretOf }) =>
    value === 'development' ? {} : refusedBy(() => void openAuthorities(value.split(','), secretOf)),
  anchor: folder,
  mirror: folder,
  journal: folder,
  backup: folder,
};

export async function lookAt(id: string, value: string, known: Answers, deps: ProbeDeps): Promise<Looked> {
  return (await PROBES[id]?.(value, known, deps)) ?? {};
}

export function ownAddresses(isPublic: (address: string) => boolean): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.map(({ address }) => address).filter(isPublic);
}

async function refusedBy(work: () => unknown): Promise<Looked> {
  try {
    const said = await work();
    return Array.isArray(said) ? { notes: said } : {};
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function resolverOf(servers: readonly string[]): Resolver {
  const resolver = new Resolver(LOOKUP);
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

async function describeHost(hostname: string, servers: readonly string[]): Promise<string> {
  const resolver = resolverOf(servers);
  const looks = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = looks.flatMap((look) => (look.status === 'fulfilled' ? look.value : []));
  return found.length > 0
    ? `${hostname} resolves to ${found.join(', ')}`
    : `${hostname} has no address in the DNS yet: publish its A or AAAA record now`;
}

async function describeAddress(
  address: string,
  hostname: string,
  servers: readonly string[],
): Promise<string> {
  if (!isPublicAddress(address))
    return `${address} is not a public address: receivers will not see it; give the one that they see (a NAT's outer one)`;
  const answer = await createReverse(servers)(address);
  if (answer.kind === 'failed') return `${address}: its name could not be looked up (${answer.error})`;
  const names = answer.kind === 'found' ? answer.values : [];
  if (names.some((name) => name.replace(/\.$/, '').toLowerCase() === hostname))
    return `${address} resolves back to ${hostname}`;
  const found = names.length === 0 ? 'has no name' : `resolves back to ${names.join(', ')}`;
  return `${address} ${found}: have its provider set the PTR record to ${hostname}, or large receivers refuse mail from it`;
}

function judgeFiles(certFile: string, keyFile: string, hostname: string, now: Date): string[] {
  const { certPem } = readCertificate({ certFile, keyFile });
  const { status, detail } = judgeCertificate(['certificate.smtp', certFile], certPem, hostname, now);
  if (status === 'problem') throw new Error(detail);
  return [detail];
}

/** It is there, or can be made. */
function folder(path: string): Looked {
  if (path === 'none' || path.startsWith('s3://')) return {};
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  if (!statSync(at).isDirectory()) return { problem: `${at} is not a folder` };
  try {
    accessSync(at, constants.W_OK | constants.X_OK);
    return {};
  } catch {
    return { problem: `this user (uid ${process.getuid?.()}) may not write to ${at}` };
  }
}
