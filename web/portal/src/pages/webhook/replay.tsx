import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook, WebhookReplay, WebhookReplayCount } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { earlier, hoursAgo } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { replayCountQuery } from './queries.ts';
import { detailWords } from './words.ts';

const PERIODS = ['failing', '1', '24', '168', 'all'] as const;
type Period = (typeof PERIODS)[number];
/** The log holds nothing older. */
const BEGINNING = '1970-01-01T00:00:00Z';

/** The event of the first attempt that failed is older than that: it may have waited its turn (ms). */
const EVENT_BEFORE_MS = 60 * 60 * 1000;

/** Delivers again what failed or waits since a time, and says how many that is before it does. */
export default function ReplayDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const words = useWords(detailWords);
  const ui = useWords(uiWords);
  const format = useFormat();
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { id, failing_since: failingSince, enabled } = webhook;
  const [chosen, setChosen] = useState(() => choose(failingSince === null ? '24' : 'failing'));
  const counted = useQuery(replayCountQuery(api, id, chosen.since));
  const { busy, error, run } = useSubmission();
  function choose(period: Period): { period: Period; since: string } {
    if (period === 'failing' && failingSince !== null)
      return { period, since: earlier(failingSince, EVENT_BEFORE_MS) };
    return { period, since: period === 'all' ? BEGINNING : hoursAgo(Number(period)) };
  }
  const replay = () =>
    run(async () => {
      const { replayed } = await api.call<WebhookReplay>('POST', `/webhooks/${id}/replay`, {
        body: { since: chosen.since, waiting: true },
      });
      toast(words.replayDone(format.number(replayed)));
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      onClose();
    });
  const sum = (counted.data?.failed ?? 0) + (counted.data?.waiting ?? 0);
  const nothing = counted.data !== undefined && sum === 0 ? words.replayNone : null;
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button
        kind="primary"
        type="submit"
        busy={busy || counted.data === undefined}
        unavailable={enabled ? nothing : words.isOff}
      >
        {words.replayAction(format.number(sum))}
      </Button>
    </>
  );
  return (
    <Dialog title={words.replayTitle} foot={foot} onSubmit={replay} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <SelectField
        label={words.replaySince}
        value={chosen.period}
        choices={PERIODS.filter((each) => each !== 'failing' || failingSince !== null).map((value) => ({
          value,
          label:
            value === 'failing'
              ? words.replayPeriods.failing(format.short(failingSince!))
              : words.replayPeriods[value],
        }))}
        onChange={(period) => setChosen(choose(period))}
      />
      <Loaded query={counted} rows={1}>
        {(count) => (
          <p aria-live="polite">
            <b>{countText(count)}</b> {sum > 0 && words.replayIds}
          </p>
        )}
      </Loaded>
    </Dialog>
  );

  function countText({ failed, waiting = 0, more }: WebhookReplayCount): string {
    if (more) return words.replayMore(format.number(sum));
    if (sum === 0) return words.replayNone;
    const again = failed === 1 ? words.replayOne : words.replayCount(format.number(failed));
    const now = waiting === 1 ? words.waitsOne : words.waitsCount(format.number(waiting));
    return [failed > 0 && again, waiting > 0 && now].filter(Boolean).join(' ');
  }
}
