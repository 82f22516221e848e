import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { accountActionWords } from '../../../../shared/audit/account-words.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/layout.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { PERIODS, type Search } from './filters.ts';
import { actorsQuery } from './queries.ts';
import { auditWords } from './words.ts';

/** Debounce of typed filters (ms). */
const PAUSE_MS = 400;

type Props = Pick<PageProps<Search>, 'search' | 'setSearch'>;

export function FilterBar({ search, setSearch }: Props) {
  const words = useWords(auditWords);
  const actions = Object.entries(useWords(accountActionWords).actions).map(([value, label]) => ({
    value,
    label,
  }));
  return (
    <Filters label={words.filters}>
      <Target value={search.target} onChange={(target) => setSearch({ target }, { replace: true })} />
      <SelectField
        label={words.action}
        value={search.action}
        choices={[{ value: '', label: words.anyAction }, ...actions]}
        onChange={(action) => setSearch({ action })}
      />
      <Actor value={search.actor} onChange={(actor) => setSearch({ actor })} />
      <SelectField
        label={words.period}
        value={search.days}
        choices={PERIODS.map((value) => ({ value, label: words.periods[value] }))}
        onChange={(days) => setSearch({ days })}
      />
    </Filters>
  );
}

/** The people of the account; of a key or somebody who has left, the address may hold the id. */
function Actor({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const words = useWords(auditWords);
  const people = useQuery(actorsQuery(useApi())).data?.data ?? [];
  const choices = people.map(({ id, name, email }) => ({ value: id, label: name ?? email }));
  const isOther = value !== '' && !choices.some((each) => each.value === value);
  return (
    <SelectField
      label={words.actor}
      value={value}
      choices={[
        { value: '', label: words.anyActor },
        ...choices,
        ...(isOther ? [{ value, label: words.otherActor }] : []),
      ]}
      onChange={onChange}
    />
  );
}

function Target({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const words = useWords(auditWords);
  const [typed, setTyped] = useState(value);
  // Somebody followed a link, or went back.
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what was typed that is waited for
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onChange(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <TextField
      label={words.target}
      type="search"
      inputMode="search"
      placeholder={words.targetHint}
      value={typed}
      onChange={setTyped}
    />
  );
}
