import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Cap } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { capScopeWords } from '../../../../shared/words/cap-scope-words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { capsQuery, removeCap, writeCap } from './cap-queries.ts';
import { capWords } from './cap-words.ts';
import classes from './page.module.css';
import { useDone } from './use-done.ts';

/** How much may go out, and the warm-ups of addresses, with what of each is used. */
export default function Caps() {
  const words = useWords(capWords);
  const query = useQuery(capsQuery(useApi()));
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Cap | null>(null);
  const columns = useColumns(setRemoving);
  const add = (
    <Button icon={Plus} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Section title={words.title} hint={words.hint} actions={add}>
      <Loaded query={query} rows={3}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={classes['total']}>{words.none}</p>
          ) : (
            <Table label={words.title} columns={columns} rows={data} rowKey={(cap) => cap.cap_id} />
          )
        }
      </Loaded>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {removing !== null && <RemoveDialog cap={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function useScope(): (cap: Cap) => string {
  const words = useWords(capScopeWords);
  return ({ tenant_id: account, source_pool: pool, source, receiver }) => {
    const parts = [
      account === null ? null : words.account(account),
      pool === null ? null : words.pool(pool),
      source === null ? null : words.address(source),
      receiver === null ? null : receiver === '*' ? words.each : words.receiver(receiver),
    ].filter((part) => part !== null);
    return parts.length === 0 ? words.all : parts.join(', ');
  };
}

function useColumns(onRemove: (cap: Cap) => void): readonly Column<Cap>[] {
  const words = useWords(capWords);
  const format = useFormat();
  const scope = useScope();
  return [
    {
      id: 'what',
      head: words.what,
      main: true,
      cell: (cap) => (
        <>
          <span className={classes['name']}>
            {cap.warms_up
              ? words.warmUp(format.number(cap.steps.length))
              : words.allows[cap.period](format.number(cap.steps[0] ?? 0))}
          </span>
          <div>{scope(cap)}</div>
          <div className={classes['why']}>
            {words.written(cap.made_by)}: <Foreign text={cap.reason} />
          </div>
        </>
      ),
    },
    {
      id: 'used',
      head: words.used,
      end: true,
      cell: (cap) =>
        cap.counts.length === 0 ? (
          <span className={classes['capped']}>{words.unused}</span>
        ) : (
          <ul className={classes['counts']}>
            {cap.counts.map(({ receiver, taken, limit, step, state }) => (
              <li key={receiver ?? ''}>
                {receiver === null ? null : `${receiver}: `}
                {limit === null
                  ? words.states.over
                  : `${words.of(format.number(Math.min(taken, limit)), format.number(limit))}, ${words.states[state]}`}
                {step === null || limit === null ? null : ` (${words.day(format.number(step))})`}
              </li>
            ))}
          </ul>
        ),
    },
    {
      id: 'remove',
      head: words.actions,
      end: true,
      cell: (cap) => (
        <Button kind="icon" icon={Trash2} label={words.remove(scope(cap))} onClick={() => onRemove(cap)} />
      ),
    },
  ];
}

function RemoveDialog({ cap, onClose }: { cap: Cap; onClose: () => void }) {
  const words = useWords(capWords);
  const api = useApi();
  const done = useDone(onClose);
  const scope = useScope();
  const { busy, error, run } = useSubmission();
  const submit = () =>
    run(async () => {
      await removeCap(api, cap);
      done(words.removed);
    });
  return (
    <Confirm
      title={words.removeTitle(scope(cap))}
      action={words.removeAction}
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.removeLead}</p>
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

type Kind = 'hour' | 'day' | 'warm_up';
const KINDS: readonly Kind[] = ['warm_up', 'day', 'hour'];
/** An empty field means any. */
const named = (given: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]])),
  );

function AddDialog({ onClose }: { onClose: () => void }) {
  const words = useWords(capWords);
  const api = useApi();
  const done = useDone(onClose);
  const [kind, setKind] = useState<Kind>('warm_up');
  const [given, setGiven] = useState({
    source: '',
    pool: '',
    account: '',
    receiver: '*',
    steps: '',
    days: '',
  });
  const [reason, setReason] = useState('');
  const { busy, error, run } = useSubmission();
  const isWarmUp = kind === 'warm_up';
  const field = (name: keyof typeof given) => ({
    label: words.fields[name],
    value: given[name],
    onChange: (value: string) => setGiven({ ...given, [name]: value }),
  });
  const submit = () =>
    run(async () => {
      const steps = given.steps.trim() === '' ? null : given.steps.split(',').map(Number);
      await writeCap(api, {
        ...named({ source: given.source, receiver: given.receiver }),
        ...(isWarmUp ? {} : named({ tenant_id: given.account, source_pool: given.pool })),
        ...{ period: kind === 'hour' ? 'hour' : 'day', warms_up: isWarmUp, reason },
        ...(steps === null ? {} : { steps }),
        ...(given.days.trim() === '' ? {} : { days: Number(given.days) }),
      });
      done(words.added);
    });
  return (
    <Confirm title={words.addTitle} action={words.addAction} busy={busy} onConfirm={submit} onClose={onClose}>
      <SelectField
        label={words.kind}
        hint={words.kindHints[kind]}
        value={kind}
        choices={KINDS.map((each) => ({ value: each, label: words.kinds[each] }))}
        onChange={setKind}
      />
      <TextField {...field('source')} hint={words.sourceHint} required={isWarmUp} />
      <TextField {...field('receiver')} hint={words.receiverHint} />
      {!isWarmUp && <TextField {...field('pool')} hint={words.anyHint} />}
      {!isWarmUp && <TextField {...field('account')} hint={words.anyHint} />}
      <TextField
        {...field('steps')}
        label={isWarmUp ? words.plan : words.fields.steps}
        hint={isWarmUp ? words.planHint : undefined}
        inputMode="numeric"
        required={!isWarmUp}
      />
      <TextField {...field('days')} hint={words.daysHint} inputMode="numeric" />
      <TextField label={words.reason} hint={words.reasonHint} value={reason} onChange={setReason} required />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}
