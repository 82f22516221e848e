import { errorAnswers, ID_PARAMS } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { Evidence } from './evidence.ts';
import { createSealMessage, type SealDeps } from './seal-on-demand.ts';

export function sealRoutes(doors: Doors, deps: SealDeps): void {
  const sealMessage = createSealMessage(deps);
  doors.post(
    '/messages/:id/seal',
    {
      config: { scopes: ['messages:send'] as const, costly: true },
      schema: {
        summary: 'Seal a message on demand',
        description:
          "Gets a constancia over this message's canonical hash alone, in addition to the one over its batch, and answers with the evidence: `message_certificate` is the new one. Only once the batch is sealed, and at any time after. Repeated or concurrent requests answer with the one that exists: only one is bought. While no time-stamping authority answers, 503 and nothing is stored.",
        operationId: 'sealMessage',
        retry: 'repeatable',
        params: ID_PARAMS,
        response: { 200: Evidence, ...errorAnswers('not_found', 'not_certified', 'missing_proof_data') },
      },
    },
    (request) => sealMessage(request.principal.tenantId, request.params.id),
  );
}
