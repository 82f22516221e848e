import { BUNDLE_TYPE } from '@acuse/evidence/bundle';
import type { Json } from '@acuse/evidence/jcs';
import { Type } from 'typebox';
import { ARCHIVED_NOTE, sourceHeader } from '../../messages/archived-contents.ts';
import type { Changes } from '../../platform/database/changes.ts';
import {
  errorAnswers,
  Hash,
  ID_PARAMS,
  Id,
  named,
  openNamed,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { readId } from '../../platform/ids.ts';
import type { Authorities } from '../stamp/authorities.ts';
import { preferredForm } from './accept-header.ts';
import { Evidence, readEvidence } from './evidence.ts';
import { createFinishedBundles, type FinishedBundles } from './finished-bundles.ts';
import { createStampedPdfs } from './stamped-pdfs.ts';
import { AskedId, verificationRoutes } from './verification-routes.ts';
import { type VerifyDeps, verifyMessage } from './verify.ts';

const config = { scopes: ['evidence:read'] as const, costly: true };
const ERRORS = ['not_found', 'missing_proof_data'] as const;

const Verification = openNamed('Verification', {
  valid: Type.Boolean({ description: 'True only if every check passes.' }),
  merkle_root: Hash,
  certificate_id: Id,
  sealed_at: { ...Timestamp, description: "The token's genTime." },
  checks: Type.Array(
    openNamed('VerificationCheck', {
      name: Type.String({ examples: ['inclusion'] }),
      ok: Type.Boolean(),
      detail: Type.String({
        description: 'For people: what was found.',
        examples: ['leaf 41 is in the tree of 64'],
      }),
    }),
    { description: 'Every step of the verification, in order.' },
  ),
});

const JsonBundle = Type.Unsafe<Json>(
  openNamed('ProofBundle', {
    type: Type.Literal(BUNDLE_TYPE),
    entries: Type.Array(
      openNamed('ProofBundleEntry', {
        name: Type.String({ examples: ['checkpoint.txt'] }),
        text: Type.Optional(
          Type.String({
            description: 'The content, where it is text.',
            examples: ['sandbox.test/log\n64\nWx0vCnw+TV9gcYKTpLXG1+j5Chs8TV5vcIGSo7TF1uc=\n'],
          }),
        ),
        base64: Type.Optional(Type.String({ description: 'The content otherwise.' })),
      }),
    ),
  }),
);

export const BundleAnswer = {
  description: 'The bundle.',
  content: {
    'application/zip': { schema: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }) },
    'application/json': { schema: JsonBundle },
  },
};

const OwnBundleAnswer = {
  ...BundleAnswer,
  content: {
    ...BundleAnswer.content,
    'application/pdf': { schema: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }) },
  },
};

interface EvidenceRoutesDeps extends VerifyDeps {
  readonly verifyUrl: () => string;
  readonly changes: Pick<Changes, 'on'>;
  readonly authorities: Authorities;
}

export function evidenceRoutes(doors: Doors, deps: EvidenceRoutesDeps): void {
  evidenceRoute(doors, deps);
  bundleRoute(doors, deps);
  verifyRoute(doors, deps);
  verificationRoutes(doors, deps);
}

function evidenceRoute(doors: Doors, deps: VerifyDeps): void {
  doors.get(
    '/messages/:id/evidence',
    {
      config,
      schema: {
        summary: 'Evidence of a sealed message',
        description: 'Its place in the log, the constancia over its batch, and its outcomes.',
        operationId: 'getEvidence',
        params: ID_PARAMS,
        response: { 200: Evidence, ...errorAnswers(...ERRORS) },
      },
    },
    (request) => readEvidence(deps, request.principal.tenantId, request.params.id),
  );
}

function bundleRoute(doors: Doors, deps: EvidenceRoutesDeps): void {
  // Lazy: registering routes must have no effects.
  let made: FinishedBundles | undefined;
  const bundles = () => (made ??= createFinishedBundles({ ...deps, pdfs: createStampedPdfs(deps) }));
  doors.get(
    '/messages/:id/proof-bundle',
    {
      config,
      schema: {
        summary: 'Proof bundle of a sealed message',
        description: `Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or with \`Accept: application/json\` as one JSON document of the same entries. With \`Accept: application/pdf\` a PDF: the pages of the report, the ZIP attached, and a document time-stamp (\`ETSI.RFC3161\`) of a time-stamping authority over all of it. The first PDF costs a time-stamp and takes the scope \`messages:send\`, as sealing on demand does; a later request answers with the same one, unless the evidence has changed (a new outcome, a renewal, an erasure) or its outcomes were counted over 7 days ago. While no authority answers, 503 and nothing is stored. ${ARCHIVED_NOTE}`,
        operationId: 'getProofBundle',
        params: ID_PARAMS,
        response: { 200: OwnBundleAnswer, ...errorAnswers(...ERRORS) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { tenantId, scopes } = request.principal;
      const form = preferredForm(request.headers.accept);
      const bundle =
        form === 'pdf'
          ? await bundles().getPdf(tenantId, id, scopes.includes('messages:send'))
          : await bundles().get(tenantId, id, form);
      reply.headers(sourceHeader(bundle)).headers({ Vary: 'Accept', 'Cache-Control': 'private, no-cache' });
      // Sent as bytes: serialising again would cost as much as the report.
      if (form === 'json') return reply.type('application/json; charset=utf-8').send(bundle.bytes as never);
      return reply
        .type(`application/${form}`)
        .header('Content-Disposition', `attachment; filename="acuse-${id}.${form}"`)
        .send(bundle.bytes);
    },
  );
}

function verifyRoute(doors: Doors, deps: VerifyDeps): void {
  doors.post(
    '/verify',
    {
      config,
      schema: {
        summary: 'Verify a sealed message',
        description:
          'Recomputes everything from the stored bytes: the message against its manifest, the manifest against the log, the log against its signature and the constancia. Every query is recorded, whatever its result.',
        operationId: 'verifyMessage',
        retry: 'repeatable',
        body: named('VerifyRequest', {
          message_id: AskedId,
        }),
        response: { 200: Verification, ...errorAnswers(...ERRORS) },
      },
    },
    (request) =>
      verifyMessage(deps, {
        principal: request.principal,
        messageId: readId(request.body.message_id) ?? request.body.message_id,
        clientAddress: request.ip,
      }),
  );
}
