import type { Json } from '@acuse/evidence/jcs';
import type { ReportRecipe } from '@acuse/mail/report/own-report';

export interface OutcomeAttempt {
  readonly sessions: Json;
  readonly recipe: ReportRecipe | null;
  readonly finishedAt: Date;
  readonly senderAddress: string;
  readonly recipientAddress: string;
  readonly header: Uint8Array | null;
}

export const OUTCOME_ATTEMPT = `a.sessions, a.report as recipe, a.finished_at as "finishedAt",
  m.sender_address as "senderAddress", m.recipient_address as "recipientAddress",
  substring(c.raw for (a.report->>'header_bytes')::integer) as header`;
