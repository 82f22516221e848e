import { toHex } from '@acuse/evidence/bytes';
import type { Check } from '@acuse/evidence/checks';
import { EvidenceError } from '@acuse/evidence/errors';
import { ApiError } from '../../errors.ts';
import { isUnavailable } from '../../platform/database/failures.ts';
import type { Principal } from '../../platform/http/http.ts';
import { newId } from '../../platform/ids.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { contentBuffers, sourceBytes, type VerifyOutput, verifyJob } from './bundle-jobs.ts';
import { requireSealed, type SealedProof } from './evidence.ts';
import { type BundleSource, type ProofBundleDeps, readBundleSource } from './proof-bundle.ts';
import { insertVerificationQuery } from './verification-store.ts';

/**
 * Online verification: recomputes everything from stored bytes, with the offline verifier's function. Every
 * query is recorded before it is answered.
 */
export interface VerifyDeps extends ProofBundleDeps {
  readonly threads: Threads;
}

interface VerificationQuestion {
  readonly principal: Principal;
  readonly messageId: string;
  readonly clientAddress: string;
}

interface VerificationAnswer {
  readonly valid: boolean;
  readonly merkle_root: string;
  readonly certificate_id: string;
  readonly sealed_at: string;
  readonly checks: Check[];
}

/** Throws not_found and missing_proof_data, recorded as well. */
export async function verifyMessage(
  deps: VerifyDeps,
  question: VerificationQuestion,
): Promise<VerificationAnswer> {
  const { tenantId } = question.principal;
  let answer: VerificationAnswer;
  try {
    answer = await verifyStored(deps, tenantId, question.messageId);
  } catch (error) {
    await record(deps, question, codeOf(error));
    throw error;
  }
  await record(deps, question, answer.valid ? 'valid' : 'invalid');
  return answer;
}

async function verifyStored(
  deps: VerifyDeps,
  tenantId: string,
  messageId: string,
): Promise<VerificationAnswer> {
  let source: BundleSource;
  try {
    source = await readBundleSource(deps, tenantId, messageId);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    const proof = await deps.db.asTenant(tenantId, (tx) => requireSealed(tx, tenantId, messageId));
    return damaged(proof, { name: error.check, ok: false, detail: error.detail });
  }
  const { proof } = source.rows;
  const order = { tenantId, bytes: sourceBytes(source), handOver: contentBuffers(source) };
  const found = await deps.threads.run(verifyJob, source, order);
  if (found.kind === 'damaged') return damaged(proof, found.check);
  const sealedAt = found.sealedAt ?? proof.stamp.genTime.toISOString();
  return present(proof, new Date(sealedAt).toISOString(), [...found.checks, ...checkRows(proof, found)]);
}

function damaged(proof: SealedProof, check: Check): VerificationAnswer {
  return present(proof, proof.stamp.genTime.toISOString(), [check]);
}

function present(proof: SealedProof, sealedAt: string, checks: Check[]): VerificationAnswer {
  return {
    valid: checks.every((check) => check.ok),
    merkle_root: toHex(proof.rootHash),
    certificate_id: proof.stamp.stampId,
    sealed_at: sealedAt,
    checks,
  };
}

/** Compares table columns with the evidence, because the API shows columns. */
function checkRows(
  proof: SealedProof,
  { canonicalHash, merkleRoot }: VerifyOutput & { kind: 'verified' },
): Check[] {
  return [
    compare('stored_leaf', toHex(proof.canonicalHash), canonicalHash),
    // Without a verified root there is nothing to compare.
    ...(merkleRoot === undefined ? [] : [compare('stored_root', toHex(proof.rootHash), merkleRoot)]),
  ];
}

function compare(name: string, stored: string, computed: string): Check {
  const ok = stored === computed;
  return { name, ok, detail: ok ? `is ${computed}` : `is stored as ${stored}, but comes out as ${computed}` };
}

function codeOf(error: unknown): string {
  if (error instanceof ApiError) return error.code;
  return isUnavailable(error) ? 'unavailable' : 'internal_error';
}

async function record(deps: VerifyDeps, question: VerificationQuestion, answer: string): Promise<void> {
  const { tenantId, actor } = question.principal;
  await deps.db.asTenant(tenantId, (tx) =>
    insertVerificationQuery(tx, {
      tenantId,
      queryId: newId(),
      actor,
      messageId: question.messageId,
      occurredAt: deps.clock.now(),
      answer,
      clientAddress: question.clientAddress,
    }),
  );
}
