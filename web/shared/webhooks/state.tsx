import type { Webhook } from '../api/portal-types.ts';
import { useFormat } from '../format/format.ts';
import { Status } from '../ui/status.tsx';
import { useWords } from '../words/use-words.ts';
import { webhookStateWords } from './words.ts';

type Facts = Pick<Webhook, 'enabled' | 'disabled_reason' | 'failing_since' | 'disables_at'>;

/** The state of an endpoint, in a word. */
export function WebhookState({ webhook, badge = false }: { webhook: Facts; badge?: boolean }) {
  const words = useWords(webhookStateWords);
  const { enabled, disabled_reason: reason, failing_since: since } = webhook;
  if (!enabled)
    return (
      <Status tone={reason === 'manual' ? 'neutral' : 'failed'} badge={badge}>
        {words.states.off}
      </Status>
    );
  return (
    <Status tone={since === null ? 'sent' : 'waiting'} badge={badge}>
      {since === null ? words.states.active : words.states.failing}
    </Status>
  );
}

/** Why it is not called, or how long it has failed; null while all is well. */
export function useStateReason(): (webhook: Facts) => string | null {
  const words = useWords(webhookStateWords);
  const format = useFormat();
  return ({ enabled, disabled_reason: reason, failing_since: since, disables_at: off }) => {
    if (!enabled) return words.reasons[reason ?? 'manual'];
    if (since === null || off === null) return null;
    return words.failing(format.short(since), format.short(off));
  };
}
