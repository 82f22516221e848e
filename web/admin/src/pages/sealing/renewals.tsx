import { useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { ConstanciaStatus, Renewal } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { renew } from './queries.ts';
import { sealingWords } from './words.ts';

/** Constancias whose certificates end are stamped again before; this says how far that is. */
export function Renewals({ constancias }: { constancias: ConstanciaStatus }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  const can = useCan();
  const api = useApi();
  const queryClient = useQueryClient();
  const [done, setDone] = useState<Renewal | null>(null);
  const { busy, error, run } = useSubmission();
  const { due, lapsed, first_end: first } = constancias;
  const start = () =>
    run(async () => {
      setDone(await renew(api));
      void queryClient.invalidateQueries({ queryKey: ['sealing'] });
    });
  const now = (
    <Button
      icon={RefreshCw}
      busy={busy}
      unavailable={can.administer ?? (due === 0 ? words.nothingDue : null)}
      onClick={start}
    >
      {words.renew}
    </Button>
  );
  const facts = [
    { name: words.due, value: due === 0 ? words.noneDue : format.number(due) },
    {
      name: words.lapsed,
      value: lapsed === 0 ? words.noneDue : <Status tone="failed">{format.number(lapsed)}</Status>,
    },
    { name: words.firstEnd, value: first === null ? words.none : <Time iso={first} form="date" /> },
  ];
  return (
    <Section title={words.renewals} hint={words.renewalsHint} actions={now}>
      <Stack>
        <Panel>
          <Facts facts={facts} />
        </Panel>
        {error !== null && <Refusal error={error} />}
        {done !== null && <Renewed renewal={done} />}
      </Stack>
    </Section>
  );
}

function Renewed({ renewal: { renewed, postponed, reasons, more } }: { renewal: Renewal }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  return (
    <Notice tone={postponed === 0 ? 'sent' : 'waiting'} live>
      {words.renewed(renewed, format.number(renewed), format.number(postponed))}
      {more && <p>{words.moreDue}</p>}
      {reasons.map((reason) => (
        <p key={reason} lang="en">
          <Foreign text={reason} />
        </p>
      ))}
    </Notice>
  );
}
