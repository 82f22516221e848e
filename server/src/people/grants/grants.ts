import { hash, timingSafeEqual } from 'node:crypto';
import { formatKey, parseKey, secretHash } from '../../accounts/api-keys/key.ts';
import { API_KEYS_MAX } from '../../accounts/api-keys/operations.ts';
import {
  findCredential,
  hasApiKeys,
  insertApiKey,
  renewApiKey,
  revokeApiKey,
} from '../../accounts/api-keys/store.ts';
import { type AuditSource, appendAccountEvent } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import type { ChangeDeps } from '../../platform/database/changes.ts';
import type { Tx } from '../../platform/database/db.ts';
import { NOT_NARROWED, READ_ONLY_PARTS } from '../../platform/http/http.ts';
import { newId } from '../../platform/ids.ts';
import { listMemberships } from '../sessions/members-store.ts';
import { SCOPES_OF_ROLE } from '../sessions/roles.ts';
import {
  type Authorization,
  assertResource,
  type GrantScope,
  type Issuing,
} from './authorization-request.ts';
import { clientSha256, readClient } from './client.ts';
import { isDocumentUrl } from './client-document.ts';
import {
  advanceGrant,
  countUnredeemed,
  findGrant,
  forgetUnredeemed,
  type Grant,
  type GrantRow,
  insertGrant,
  listGrantsBefore,
} from './grants-store.ts';
import { OAuthError } from './oauth-error.ts';
import { codeOf, keySecretOf, openRefreshToken, type Place, placeOfCode, refreshTokenOf } from './tokens.ts';

/** Until a code is redeemed; a program does so at once (ms). RFC 6749 §4.1.2 */
export const CODE_MS = 60_000;
/** Also how long a stolen token works (ms). */
export const ACCESS_MS = 60 * 60 * 1000;
/** From the person's approval (ms). */
export const GRANT_MS = 90 * 24 * 60 * 60 * 1000;
/**
 * A repeated renewal gets the same answer for this long (ms): a program that lost the answer, or asked twice
 * at once, is not a thief.
 */
export const REPEAT_MS = 30_000;
/** Approvals of an account that wait for their program. */
export const UNREDEEMED_MAX = 100;

export interface Tokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken: string;
  readonly scopes: readonly GrantScope[];
}

interface Approval {
  readonly tenantId: string;
  readonly userId: string;
  readonly userName: string;
  readonly authorization: Authorization;
  readonly scopes: readonly GrantScope[];
  readonly needsApproval: boolean;
  readonly source: AuditSource;
}

/** Returns the code for the program. Throws conflict. */
export async function approveGrant(deps: ChangeDeps, issuing: Issuing, approval: Approval): Promise<string> {
  const { tenantId, userId, userName, authorization, scopes, needsApproval, source } = approval;
  const { client, clientId, redirectUri, codeChallenge } = authorization;
  const now = deps.clock.now();
  const after = (ms: number) => new Date(now.getTime() + ms);
  const grant: Grant = {
    ...{ apiKeyId: newId(now.getTime()), userId, userName, redirectUri, scopes, codeChallenge },
    ...{ clientSha256: clientSha256(clientId), clientName: client.name, resource: issuing.resource },
    needsApproval,
    ...{ codeExpiresAt: after(CODE_MS), createdAt: now, endsAt: after(GRANT_MS) },
  };
  await deps.db.asTenant(tenantId, async (tx) => {
    await forgetUnredeemed(tx, tenantId, now);
    if ((await countUnredeemed(tx, tenantId)) >= UNREDEEMED_MAX)
      throw apiError('conflict', `Limit of ${UNREDEEMED_MAX} approvals at once reached: wait a minute.`);
    if (await hasApiKeys(tx, tenantId, API_KEYS_MAX))
      throw apiError('conflict', `Limit of ${API_KEYS_MAX} API keys per account reached: revoke one first.`);
    await insertGrant(tx, tenantId, grant);
    const after = {
      ...{ program: client.name, returns_to: redirectUri, resource: issuing.resource, scopes },
      ...(client.describedAt !== null && { described_at: clientId }),
      ...{ needs_approval: needsApproval, until: grant.endsAt.toISOString() },
    };
    await appendAccountEvent(
      tx,
      tenantId,
      source,
      { action: 'approve_grant', target: grant.apiKeyId, after },
      now,
    );
  });
  return codeOf(issuing.secret, { tenantId, apiKeyId: grant.apiKeyId });
}

/** The fields of a token request, each given once at most. */
export type TokenForm = (name: string) => string | undefined;

/** Throws OAuthError. RFC 6749 §4.1.3, RFC 7636 §4.6 */
export async function redeemCode(
  deps: ChangeDeps,
  issuing: Issuing,
  form: TokenForm,
  from: From,
): Promise<Tokens> {
  const client = requireClient(issuing, form);
  assertResource(issuing, form('resource'));
  const place = placeOfCode(issuing.secret, form('code') ?? '');
  if (place === null) throw new OAuthError('invalid_grant', WRONG_CODE);
  const { db, clock } = deps;
  const { tenantId, apiKeyId } = place;
  const grant = await db.asTenant(tenantId, (tx) => findGrant(tx, tenantId, apiKeyId));
  const verifier = form('code_verifier') ?? '';
  // A caller without any of these never had the code from us, and must not end the grant with it.
  if (
    grant === null ||
    !timingSafeEqual(grant.clientSha256, client) ||
    grant.redirectUri !== form('redirect_uri') ||
    grant.codeChallenge !== hash('sha256', verifier, 'base64url')
  )
    throw new OAuthError('invalid_grant', WRONG_CODE);
  const now = clock.now();
  if (grant.generation === 0 && (grant.codeExpiresAt <= now || !(await mayStillGrant(deps, place, grant))))
    throw new OAuthError('invalid_grant', WRONG_CODE);
  const making = { grant, now, from, isOneInstall: !isDocumentUrl(form('client_id') ?? '') };
  const before = await db.asTenant(tenantId, (tx) => makeKey(tx, issuing, place, making));
  // RFC 6749 §4.1.2: a code used twice ends the grant that it gave.
  if (before === null) return endTwiceUsed(deps, place, grant, from);
  for (const id of before) await deps.changes.announce('api_key', id);
  return tokensOf(issuing, place, { grant, generation: 1, renewedAt: now, now });
}

const WRONG_CODE =
  'The code is wrong, was used, has expired, or belongs to another client_id, redirect_uri or code_verifier: ask the person again.';
const WRONG_TOKEN = 'The refresh token is wrong, was used, has expired or was revoked: ask the person again.';

interface Making {
  readonly grant: GrantRow;
  readonly now: Date;
  readonly from: From;
  /** Whatever registered. What a document describes may be on several machines of the person. */
  readonly isOneInstall: boolean;
}

/** The ids of the keys that this one replaces; null: the code was used. */
async function makeKey(
  tx: Tx,
  { secret }: Issuing,
  place: Place,
  { grant, now, from, isOneInstall }: Making,
): Promise<string[] | null> {
  const { tenantId, apiKeyId } = place;
  if (!(await advanceGrant(tx, tenantId, { apiKeyId, from: 0, at: now }))) return null;
  const replaced: string[] = [];
  for (const id of isOneInstall ? await listGrantsBefore(tx, tenantId, grant) : [])
    if (await revokeApiKey(tx, tenantId, id, now)) {
      replaced.push(id);
      await recordEnd(tx, { tenantId, apiKeyId: id }, { grant, from, reason: 'replaced', at: now });
    }
  if (await hasApiKeys(tx, tenantId, API_KEYS_MAX))
    throw new OAuthError('invalid_grant', `The account has its ${API_KEYS_MAX} API keys: revoke one first.`);
  const { clientName, userId, userName, scopes, needsApproval, resource, endsAt } = grant;
  await insertApiKey(tx, tenantId, {
    ...{ apiKeyId, name: clientName, scopes: [...scopes], createdAt: grant.createdAt },
    secretSha256: hashOf(secret, place, 1),
    // Domains and webhooks are a person's to change.
    narrowing: {
      ...{ ...NOT_NARROWED, needsApproval, expiresAt: accessEnd(now, grant) },
      readOnly: READ_ONLY_PARTS,
    },
    maker: { kind: 'user', id: userId, name: userName },
    granted: { resource, until: endsAt },
  });
  return replaced;
}

/** Throws OAuthError. RFC 6749 §6; each refresh token is valid once. */
export async function renewGrant(
  deps: ChangeDeps,
  issuing: Issuing,
  form: TokenForm,
  from: From,
): Promise<Tokens> {
  const client = requireClient(issuing, form);
  assertResource(issuing, form('resource'));
  const opened = openRefreshToken(issuing.secret, form('refresh_token') ?? '');
  if (opened === null) throw new OAuthError('invalid_grant', WRONG_TOKEN);
  const { place, generation } = opened;
  const { tenantId, apiKeyId } = place;
  const { db, clock, changes } = deps;
  const read = () => db.asTenant(tenantId, (tx) => findGrant(tx, tenantId, apiKeyId));
  const grant = await read();
  const now = clock.now();
  if (grant === null || !timingSafeEqual(grant.clientSha256, client) || grant.endsAt <= now)
    throw new OAuthError('invalid_grant', WRONG_TOKEN);
  if (grant.generation === generation) {
    if (!(await mayStillGrant(deps, place, grant))) {
      await endGrant(deps, place, { grant, from, reason: 'person_may_no_longer' });
      throw new OAuthError('invalid_grant', WRONG_TOKEN);
    }
    const renewed = await db.asTenant(tenantId, async (tx) => {
      if (!(await advanceGrant(tx, tenantId, { apiKeyId, from: generation, at: now }))) return false;
      const secretSha256 = hashOf(issuing.secret, place, generation + 1);
      if (!(await renewApiKey(tx, tenantId, { apiKeyId, secretSha256, expiresAt: accessEnd(now, grant) })))
        throw new OAuthError('invalid_grant', WRONG_TOKEN);
      return true;
    });
    if (renewed) {
      await changes.announce('api_key', apiKeyId);
      return tokensOf(issuing, place, { grant, generation: generation + 1, renewedAt: now, now });
    }
  }
  const current = await read();
  if (current === null || current.generation < generation) throw new OAuthError('invalid_grant', WRONG_TOKEN);
  const renewedAt = current.renewedAt ?? now;
  if (current.generation === generation + 1 && now.getTime() - renewedAt.getTime() <= REPEAT_MS)
    return tokensOf(issuing, place, { grant: current, generation: generation + 1, renewedAt, now });
  return endTwiceUsed(deps, place, current, from);
}

/** Revokes an access or a refresh token; any other text is ignored. RFC 7009 §2.2 */
export async function revokeToken(
  deps: ChangeDeps,
  { secret }: Issuing,
  token: string,
  from: From,
): Promise<void> {
  const place = openRefreshToken(secret, token)?.place ?? (await placeOfKey(deps, token));
  if (place === null) return;
  const { tenantId, apiKeyId } = place;
  const grant = await deps.db.asTenant(tenantId, (tx) => findGrant(tx, tenantId, apiKeyId));
  if (grant !== null) await endGrant(deps, place, { grant, from, reason: 'program_left' });
}

async function placeOfKey({ db }: ChangeDeps, token: string): Promise<Place | null> {
  const key = parseKey(token);
  const credential = key === null ? null : await findCredential(db, key.apiKeyId);
  if (key === null || credential === null || credential.resource === null) return null;
  const isIt = timingSafeEqual(credential.secretSha256, secretHash(key.secret));
  return isIt ? { tenantId: credential.tenantId, apiKeyId: key.apiKeyId } : null;
}

/** Where a request without a person comes from. */
export interface From {
  readonly address: string;
  readonly requestId: string;
}

type EndReason = 'replaced' | 'used_twice' | 'program_left' | 'person_may_no_longer';

interface Ending {
  readonly grant: GrantRow;
  readonly from: From;
  readonly reason: EndReason;
}

async function endTwiceUsed(deps: ChangeDeps, place: Place, grant: GrantRow, from: From): Promise<never> {
  await endGrant(deps, place, { grant, from, reason: 'used_twice' });
  throw new OAuthError('invalid_grant', WRONG_TOKEN);
}

async function endGrant({ db, clock, changes }: ChangeDeps, place: Place, ending: Ending): Promise<void> {
  const { tenantId, apiKeyId } = place;
  const at = clock.now();
  const ended = await db.asTenant(tenantId, async (tx) => {
    const revoked = await revokeApiKey(tx, tenantId, apiKeyId, at);
    if (revoked) await recordEnd(tx, place, { ...ending, at });
    return revoked;
  });
  if (ended) await changes.announce('api_key', apiKeyId);
}

function recordEnd(
  tx: Tx,
  { tenantId, apiKeyId }: Place,
  { grant, from, reason, at }: Ending & { readonly at: Date },
): Promise<void> {
  const { address: clientAddress, requestId } = from;
  const source: AuditSource = { kind: 'key', id: apiKeyId, name: grant.clientName, clientAddress, requestId };
  return appendAccountEvent(
    tx,
    tenantId,
    source,
    { action: 'end_grant', target: apiKeyId, after: { reason } },
    at,
  );
}

/** The person is still of the account, and may still make keys there. */
async function mayStillGrant({ db }: ChangeDeps, { tenantId }: Place, { userId }: Grant): Promise<boolean> {
  const memberships = await db.asSessions((tx) => listMemberships(tx, userId));
  const role = memberships.find((each) => each.tenantId === tenantId)?.role;
  return role !== undefined && SCOPES_OF_ROLE[role].includes('api_keys:write');
}

function requireClient({ secret }: Issuing, form: TokenForm): Buffer {
  const id = form('client_id') ?? '';
  // A document is not read again: it was checked when the code or token was approved.
  if (!isDocumentUrl(id) && readClient(secret, id) === null)
    throw new OAuthError(
      'invalid_client',
      'client_id is not of a program that registered here: register again.',
    );
  return clientSha256(id);
}

function hashOf(secret: Uint8Array, place: Place, generation: number): Buffer {
  return secretHash(parseKey(formatKey(place.apiKeyId, keySecretOf(secret, place, generation)))!.secret);
}

function accessEnd(from: Date, { endsAt }: Grant): Date {
  return new Date(Math.min(from.getTime() + ACCESS_MS, endsAt.getTime()));
}

function tokensOf(
  { secret }: Issuing,
  place: Place,
  { grant, generation, renewedAt, now }: { grant: Grant; generation: number; renewedAt: Date; now: Date },
): Tokens {
  return {
    accessToken: formatKey(place.apiKeyId, keySecretOf(secret, place, generation)),
    expiresInSeconds: Math.floor((accessEnd(renewedAt, grant).getTime() - now.getTime()) / 1000),
    refreshToken: refreshTokenOf(secret, place, generation),
    scopes: grant.scopes,
  };
}
