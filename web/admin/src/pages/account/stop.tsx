import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tenant } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { changeTenant, keysQuery, membersQuery, queueQuery } from './queries.ts';
import { accountWords } from './words.ts';

/** As somebody types it who looks at the screen. */
function sameName(typed: string, name: string): boolean {
  const plain = (text: string) => text.normalize('NFC').trim().replace(/\s+/g, ' ');
  return plain(typed) === plain(name);
}

/** Shows what is affected, and asks for the name. */
export default function StopAccount({
  tenant: { id, name },
  onClose,
}: {
  tenant: Tenant;
  onClose: () => void;
}) {
  const words = useWords(accountWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [status, setStatus] = useState<'suspended' | 'deactivated'>('suspended');
  const [typed, setTyped] = useState('');
  const [mismatch, setMismatch] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    const fits = sameName(typed, name);
    setMismatch(!fits);
    if (!fits) return;
    run(async () => {
      await changeTenant(api, id, { status });
      toast(words.stoppedNow[status](name));
      void queryClient.invalidateQueries({ queryKey: ['tenants'] });
      onClose();
    });
  };
  return (
    <Confirm
      title={words.stopTitle(name)}
      action={words.stopActions[status]}
      danger
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <SelectField
        label={words.stopAs}
        hint={words.stopHints[status]}
        value={status}
        choices={(['suspended', 'deactivated'] as const).map((value) => ({
          value,
          label: words.stopChoices[value],
        }))}
        onChange={setStatus}
      />
      <Affected id={id} onLeave={onClose} />
      <TextField
        label={words.confirmName}
        hint={words.confirmNameHint(name)}
        error={mismatch ? words.nameMismatch : null}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        required
      />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

function Affected({ id, onLeave }: { id: string; onLeave: () => void }) {
  const words = useWords(accountWords);
  const format = useFormat();
  const api = useApi();
  const keys = useInfiniteQuery(keysQuery(api, id));
  const people = useInfiniteQuery(membersQuery(api, id));
  const queue = useQuery(queueQuery(api, id));
  const queries = [queue, keys, people];
  if (queue.data === undefined || keys.data === undefined || people.data === undefined)
    return <NotLoaded queries={queries} rows={3} />;
  const { queue: waits } = queue.data;
  const waiting = waits === null ? 0 : waits.due + waits.held + waits.waiting;
  // More than a page of them is "50+".
  const countOf = ({ pages }: { pages: readonly { data: readonly unknown[] }[] }, more: boolean) =>
    `${format.number(pages.flatMap(({ data }) => data).length)}${more ? '+' : ''}`;
  return (
    <>
      <Stale queries={queries} />
      <ul className={classes['affected']} aria-label={words.affected}>
        <li>{words.affectedKeys(countOf(keys.data, keys.hasNextPage))}</li>
        <li>{words.affectedPeople(countOf(people.data, people.hasNextPage))}</li>
        <li>
          {words.affectedQueue(format.number(waiting))}{' '}
          {waiting > 0 && (
            <Link to={`/tenants/${id}/queue`} onClick={onLeave}>
              {words.toQueue}
            </Link>
          )}
        </li>
        <li>{words.affectedEvidence}</li>
      </ul>
    </>
  );
}
