import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { readIfThere, replaceDurably } from './durable-file.ts';
import { cappedRequest, type RequestFailed } from './network/capped-request.ts';
import { listening } from './network/listen.ts';

/**
 * A certificate by ACME with the library acme-client: the authority connects to a port of this machine, open
 * meanwhile (http-01). Account key, key and certificate are files in one folder. RFC 8555 §7.4
 */
export interface AcmeOrder {
  readonly directory: string;
  readonly hostname: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** The authority itself connects to port 80. RFC 8555 §8.3 */
  readonly port: number;
  readonly email?: string;
}

const ACCOUNT_KEY_FILE = 'account.pem';
const CHALLENGE_PATH = '/.well-known/acme-challenge/';
const DIRECTORY_MAX_BYTES = 65_536;
const DIRECTORY_TIMEOUT_MS = 5_000;
/** Codes of OpenSSL's X509_verify_cert for a chain that ends at no trusted root. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
/** Its own tries of a call that the authority refuses for now, and the time between them (ms). */
const BACKOFF = { backoffAttempts: 10, backoffMin: 1_000, backoffMax: 15_000 };

/** The authority's directory. Throws an Error that says why it cannot be read. RFC 8555 §7.1.1 */
export async function readDirectory(url: string): Promise<{ termsOfService: string | null }> {
  const answer = await cappedRequest({
    ...{ url, maxBytes: DIRECTORY_MAX_BYTES, timeoutMs: DIRECTORY_TIMEOUT_MS },
    // Authorities refuse a client that does not name itself. RFC 8555 §6.1
    headers: { 'user-agent': 'acuse' },
  }).catch((cause: RequestFailed) => {
    const { code } = (cause.cause ?? {}) as { code?: string };
    if (!UNTRUSTED.has(code ?? '')) throw cause;
    throw new Error(
      `${url}: its certificate is not trusted (${code}): set NODE_EXTRA_CA_CERTS to its root's file, for the service too, which renews`,
      { cause },
    );
  });
  const directory = answer.status === 200 ? jsonOf(answer.bytes) : null;
  if (typeof directory?.['newOrder'] !== 'string')
    throw new Error(
      `${url} answers with HTTP ${answer.status}, and not as the directory of an ACME authority`,
    );
  const terms = (directory['meta'] as { termsOfService?: unknown } | undefined)?.termsOfService;
  return { termsOfService: typeof terms === 'string' ? terms : null };
}

function jsonOf(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
}

/** The authority connected to this machine and did not find the challenge's answer. */
export class ChallengeFailed extends Error {
  override readonly name = 'ChallengeFailed';
}

/**
 * Orders a certificate and puts it in place. The key is kept, so that a reader never sees a certificate with
 * another's key. Throws an Error in the authority's words; ChallengeFailed: it could not check this machine.
 */
export async function orderCertificate(order: AcmeOrder): Promise<void> {
  // Loaded only to order: it brings an HTTP client and an ASN.1 parser of its own.
  const { Client, crypto } = await import('acme-client');
  const folder = dirname(order.certFile);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const accountKey = keyIn(join(folder, ACCOUNT_KEY_FILE));
  const key = keyIn(order.keyFile);
  const [, csr] = await crypto.createCsr({ commonName: order.hostname, altNames: [order.hostname] }, key);
  const client = new Client({ directoryUrl: order.directory, accountKey, ...BACKOFF });
  const challenges = new Map<string, string>();
  let stage: 'asking' | 'challenge' | 'finalizing' = 'asking';
  const finalize = client.finalizeOrder.bind(client);
  client.finalizeOrder = (...args) => {
    stage = 'finalizing';
    return finalize(...args);
  };
  const reached = () => stage;
  const server = await openChallenges(order.port, challenges);
  try {
    const chain = await client.auto({
      csr,
      termsOfServiceAgreed: true,
      ...(order.email !== undefined && { email: order.email }),
      challengePriority: ['http-01'],
      // Only the authority's check counts: from here the name may lead elsewhere.
      skipChallengeVerification: true,
      challengeCreateFn: async (_authorization, { token }, proof) => {
        stage = 'challenge';
        challenges.set(token, proof);
      },
      challengeRemoveFn: async (_authorization, { token }) => void challenges.delete(token),
    });
    replaceDurably(order.certFile, chain);
  } catch (cause) {
    // The library hides why a connection failed.
    if (reached() === 'asking') await readDirectory(order.directory);
    const Failure = reached() === 'challenge' ? ChallengeFailed : Error;
    throw new Failure(`${order.directory}: ${(cause as Error).message}`, { cause });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The key in a file; makes one if the file is absent. */
function keyIn(path: string): string {
  const known = readIfThere(path);
  if (known !== null) return createPrivateKey(known).export({ type: 'pkcs8', format: 'pem' }).toString();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  replaceDurably(path, pem);
  return pem;
}

/** Answers the authority's request and no other. RFC 8555 §8.3 */
async function openChallenges(port: number, challenges: ReadonlyMap<string, string>): Promise<Server> {
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    const proof = url.startsWith(CHALLENGE_PATH) ? challenges.get(url.slice(CHALLENGE_PATH.length)) : null;
    response.writeHead(proof ? 200 : 404, { 'content-type': 'application/octet-stream' }).end(proof ?? '');
  });
  await listening('ACUSE_ACME_PORT', async () => {
    server.listen(port);
    await once(server, 'listening');
  });
  return server;
}

/**
 * True if a certificate must be ordered: there is none for this name, or less than a third of its time is
 * left. Pure.
 */
export function isDue(certPem: string | null, hostname: string, now: Date): boolean {
  if (certPem === null) return true;
  const certificate = new X509Certificate(certPem);
  if (certificate.checkHost(hostname) === undefined) return true;
  const [from, to] = [certificate.validFrom, certificate.validTo].map((text) => new Date(text).getTime());
  return now.getTime() > to! - (to! - from!) / 3;
}

export function isFileDue(
  { certFile, hostname }: Pick<AcmeOrder, 'certFile' | 'hostname'>,
  now: Date,
): boolean {
  return isDue(readIfThere(certFile), hostname, now);
}
