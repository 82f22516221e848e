import { EvidenceError } from '@acuse/evidence/errors';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { Type } from 'typebox';
import { createChecker } from '../platform/validator.ts';
import type { SealerCredentials } from './rfc3161-http.ts';

/**
 * How to reach an authority and what to hold it to, as an operator writes it down in JSON. `policy` is what gets stored beside
 * each token and handed out in bundles; the credentials stay here.
 *
 * {"url": "https://tsa.example/tsa", "credentials": {"kind": "basic", "username": "…", "password": "…"},
 *  "policy": {"profile": "nom151", "name": "…", "roots": ["-----BEGIN CERTIFICATE-----…"], "leafEku": […], "policies": […], "nonce": true}}
 */
export interface SealerManifest {
  readonly url: string;
  readonly credentials: SealerCredentials;
  readonly policy: TimeStampPolicy;
}

const Secret = Type.String({ minLength: 1, maxLength: 8_192, pattern: '^[\\x20-\\x7e]+$' });
const check = createChecker(
  Type.Object(
    {
      url: Type.String({ maxLength: 2_048 }),
      credentials: Type.Optional(
        Type.Union([
          Type.Object({ kind: Type.Literal('none') }, { additionalProperties: false }),
          Type.Object(
            { kind: Type.Literal('basic'), username: Secret, password: Secret },
            { additionalProperties: false },
          ),
          Type.Object({ kind: Type.Literal('bearer'), token: Secret }, { additionalProperties: false }),
        ]),
      ),
      policy: Type.Unknown(),
    },
    { additionalProperties: false },
  ),
);

/** Throws an Error whose message names the field that is wrong. */
export function readSealerManifest(json: string): SealerManifest {
  const checked = check(parse(json));
  if (!checked.ok) throw new Error(`sealer manifest: ${checked.problem}`);
  const { url, credentials = { kind: 'none' }, policy } = checked.value;
  assertUrl(url);
  return { url, credentials, policy: readPolicy(policy) };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error('sealer manifest: not JSON', { cause });
  }
}

function assertUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    throw new Error('sealer manifest: url is no http(s) URL');
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      'sealer manifest: credentials belong into credentials, not into url, which is shown in logs',
    );
  }
}

function readPolicy(value: unknown): TimeStampPolicy {
  try {
    return readTimeStampPolicy(value);
  } catch (cause) {
    if (!(cause instanceof EvidenceError)) throw cause;
    throw new Error(`sealer manifest: policy: ${cause.detail}`, { cause });
  }
}
