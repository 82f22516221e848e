import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EvidenceError } from '@acuse/evidence/errors';
import { Agent } from 'undici';
import { type AuthorityManifest, readAuthorityManifest } from './authority-manifest.ts';
import { createJsonHashSealer } from './json-hash.ts';
import { createRfc3161HttpSealer } from './rfc3161-http.ts';
import type { Sealer } from './sealer.ts';
import type { SealerCredentials } from './sealer-http.ts';

export type SecretOf = (name: string) => string | undefined;

export interface AuthorityService {
  readonly sealer: Sealer;
  readonly url: string;
  /** Undefined: the default. A client certificate makes it mutual TLS. */
  readonly dispatcher: Agent | undefined;
}

/** Throws an Error that names the manifest. Sends nothing. */
export function openAuthorities(paths: readonly string[], secretOf: SecretOf): Sealer[] {
  return openServices(paths, secretOf).map(({ sealer }) => sealer);
}

export function openServices(paths: readonly string[], secretOf: SecretOf): AuthorityService[] {
  const services = paths.map((path) => openAuthority(path, secretOf));
  const names = services.map(({ sealer }) => sealer.name);
  const double = names.find((name, at) => names.indexOf(name) !== at);
  // Failures and costs are kept by name.
  if (double !== undefined) throw new Error(`two authorities are called ${JSON.stringify(double)}`);
  return services;
}

function openAuthority(path: string, secretOf: SecretOf): AuthorityService {
  try {
    const textOf = (file: string) => readFileSync(resolve(dirname(path), file), 'utf8');
    const manifest = readAuthorityManifest(parseJson(readFileSync(path, 'utf8')), textOf);
    return toService(manifest, textOf, secretOf);
  } catch (cause) {
    const problem = cause instanceof EvidenceError ? cause.detail : (cause as Error).message;
    throw new Error(`${path}: ${problem}`, { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('not JSON', { cause });
  }
}

function toService(
  manifest: AuthorityManifest,
  textOf: (file: string) => string,
  secretOf: SecretOf,
): AuthorityService {
  const { policy, intermediates, priceMicros, service } = manifest;
  const dispatcher = dispatcherOf(manifest, textOf, secretOf);
  const options = {
    policy,
    intermediates,
    priceMicros,
    url: service.url,
    credentials: credentialsOf(service.auth, secretOf),
    ...(service.timeoutMs !== undefined && { timeoutMs: service.timeoutMs }),
    ...(dispatcher !== undefined && { dispatcher }),
  };
  const sealer =
    service.json === null
      ? createRfc3161HttpSealer({ ...options, random: randomBytes })
      : createJsonHashSealer({ ...options, shape: service.json });
  return { sealer, url: service.url, dispatcher };
}

function credentialsOf(auth: AuthorityManifest['service']['auth'], secretOf: SecretOf): SealerCredentials {
  switch (auth.kind) {
    case 'none':
      return auth;
    case 'basic':
      return {
        kind: 'basic',
        username: secret(auth.usernameEnv, secretOf),
        password: secret(auth.passwordEnv, secretOf),
      };
    case 'bearer':
      return { kind: 'bearer', token: secret(auth.tokenEnv, secretOf) };
  }
}

function secret(name: string, secretOf: SecretOf): string {
  const value = secretOf(name);
  if (value === undefined || value === '') throw new Error(`the variable ${name} that it names is not set`);
  return value;
}

function dispatcherOf(
  { service }: AuthorityManifest,
  textOf: (file: string) => string,
  secretOf: SecretOf,
): Agent | undefined {
  const { clientCertificate, caFile } = service;
  if (clientCertificate === null && caFile === null) return undefined;
  return new Agent({
    connect: {
      ...(caFile !== null && { ca: textOf(caFile) }),
      ...(clientCertificate !== null && {
        cert: textOf(clientCertificate.certificateFile),
        key: textOf(clientCertificate.keyFile),
        ...(clientCertificate.passphraseEnv !== null && {
          passphrase: secret(clientCertificate.passphraseEnv, secretOf),
        }),
      }),
    },
  });
}
