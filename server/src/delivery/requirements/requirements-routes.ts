import { Type } from 'typebox';
import { errorAnswers, ID_PARAMS, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { type RequirementDeps, RULES, type Rule, readRequirements, VERDICTS } from './requirements.ts';

const Count = Type.Integer({ minimum: 0, examples: [1_204] });

const RequirementSchema = named('SenderRequirement', {
  rule: Type.Enum([...RULES] as [Rule, ...Rule[]], { $id: 'SenderRule' }),
  verdict: Type.Enum([...VERDICTS], {
    $id: 'RequirementVerdict',
    description:
      'at_risk: above what is advised and below what is refused, or only some of the mail; not_needed: the rule holds for no mail that was seen; unknown: too little was seen.',
  }),
  part: nullable(
    Count,
    'How many of `total` were counted: aligned messages, messages that can be unsubscribed, complaints, addresses with reverse DNS, sessions with TLS.',
  ),
  total: nullable(
    Count,
    'Number of messages looked at; of one_click_unsubscribe the messages marked as sent to many (List-Unsubscribe, List-Id, Precedence: bulk or list), and all of them where it is not_needed.',
  ),
  found: Type.Array(Type.String(), {
    description: 'Records, names or addresses that were looked at.',
    examples: [['v=DMARC1; p=none']],
  }),
});

const DomainRequirements = named('DomainRequirements', {
  domain: Type.String({ examples: ['example.com'] }),
  since: Timestamp,
  requirements: Type.Array(RequirementSchema, { description: 'One for each rule.' }),
});

export function requirementRoutes(doors: Doors, deps: RequirementDeps): void {
  doors.get(
    '/domains/:id/requirements',
    {
      config: { scopes: ['messages:send', 'evidence:read'] },
      schema: {
        summary: 'Read how a domain stands with the rules for bulk senders',
        description:
          'The requirements of Gmail and Yahoo for bulk senders, and what was seen of each in the last 30 days. Complaints are those that reached this service: Gmail reports none, see Google Postmaster Tools for its own rate.',
        operationId: 'getDomainRequirements',
        params: ID_PARAMS,
        response: { 200: DomainRequirements, ...errorAnswers('not_found') },
      },
    },
    ({ principal, params }) => readRequirements(deps, principal.tenantId, params.id),
  );
}
