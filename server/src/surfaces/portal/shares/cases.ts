import { ApiError, apiError } from '../../../errors.ts';
import {
  assertCaseFits,
  type CaseAsker,
  type CaseFile,
  type MakeCaseFile,
} from '../../../evidence/bundle/case-file.ts';
import { requireSealed } from '../../../evidence/bundle/evidence.ts';
import { findContentSizes } from '../../../evidence/bundle/evidence-store.ts';
import { newToken } from '../../../people/sessions/tokens.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { newId, readId } from '../../../platform/ids.ts';
import {
  addShare,
  assertLife,
  assertShown,
  SHARES_MAX,
  type ShareMaker,
  type ShareRequest,
  type SharesDeps,
} from './shares.ts';
import type { ShareRow } from './store.ts';

/** Case files: several messages in one file, or behind one link. */
export interface CaseDeps extends SharesDeps {
  readonly makeCaseFile: MakeCaseFile;
}

interface Chosen {
  readonly name: string;
  readonly messageIds: readonly string[];
}

/** The whole bundles, for the account itself. Throws not_found, missing_proof_data, conflict. */
export async function readCase(
  deps: CaseDeps,
  tenantId: string,
  chosen: Chosen,
  by: CaseAsker,
): Promise<Uint8Array> {
  const messageIds = await deps.db.asTenant(tenantId, (tx) => requireAll(tx, tenantId, chosen.messageIds));
  const messages = messageIds.map((messageId) => ({ messageId, shown: null }));
  const file = { tenantId, name: chosen.name, createdAt: deps.clock.now(), messages };
  return deps.makeCaseFile(file, by);
}

/** Shares each message, with one secret that is shown once. Throws as readCase; invalid_body. */
export async function shareCase(
  deps: CaseDeps,
  by: ShareMaker,
  { name, messageIds: ids }: Chosen,
  request: ShareRequest,
): Promise<{ caseId: string; secret: string; shares: ShareRow[] }> {
  const now = deps.clock.now();
  assertLife(request.expiresAt, now);
  assertShown(request.shown, 0);
  const { token, sha256 } = newToken();
  const caseId = newId(now.getTime());
  const shares = await deps.db.asTenant(by.tenantId, async (tx) => {
    const messageIds = await requireAll(tx, by.tenantId, ids);
    const added: ShareRow[] = [];
    const made = { secretSha256: sha256, createdAt: now, of: { caseId, name } };
    for (const messageId of messageIds) {
      const share = await addShare(tx, by, messageId, request, made);
      if (share === undefined)
        throw apiError(
          'conflict',
          `The message ${messageId} has ${SHARES_MAX} shares that can be opened: revoke one that nobody needs.`,
        );
      added.push(share);
    }
    return added;
  });
  return { caseId, secret: token, shares };
}

/** The case file of open shares. */
export function openCase(
  deps: CaseDeps,
  tenantId: string,
  shares: readonly ShareRow[],
  gone: AbortSignal,
): Promise<Uint8Array> {
  const [{ caseId, caseName, createdAt }] = shares as [ShareRow];
  const file: CaseFile = {
    tenantId,
    name: caseName!,
    createdAt,
    messages: shares.map(({ messageId, showsMessage, showsParts, showsDelivery }) => ({
      messageId,
      shown: { message: showsMessage, parts: showsParts, delivery: showsDelivery },
    })),
  };
  return deps.makeCaseFile(file, { holder: `case ${caseId}`, gone });
}

/** Each once. A refusal names the message. */
async function requireAll(tx: Tx, tenantId: string, given: readonly string[]): Promise<string[]> {
  const messageIds = [...new Set(given.map((id) => readId(id) ?? id))];
  let bytes = 0;
  for (const id of messageIds) {
    await requireSealedOne(tx, tenantId, id);
    const { sizes } = await findContentSizes(tx, tenantId, id);
    if (sizes !== undefined) bytes += sizes.rawBytes + sizes.submissionBytes;
  }
  assertCaseFits(bytes);
  return messageIds;
}

async function requireSealedOne(tx: Tx, tenantId: string, messageId: string): Promise<void> {
  try {
    await requireSealed(tx, tenantId, messageId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'not_found')
      throw apiError('not_found', `No message has the id ${messageId}. Check the ids.`);
    throw apiError(
      error.code,
      `The message ${messageId} is not sealed: leave it out. Only sealed messages can be in a case file.`,
    );
  }
}
