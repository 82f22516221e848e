import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tenant, TenantChange } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { type Difference, Differences } from '../../../../shared/ui/differences.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useMoney, useSetting } from '../../parts/currency.ts';
import { complete, draftOf, readDraft, TenantFields } from '../../parts/tenant-form.tsx';
import { tenantWords } from '../../parts/tenant-words.ts';
import { changeTenant } from './queries.ts';
import { accountWords } from './words.ts';

type Changed = Omit<TenantChange, 'status'>;

/** Name, default, quotas, prices and source pool; says what changes, before → after, and sends only that. */
export default function EditAccount({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const words = useWords(accountWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  // The account when the form was opened: a field that was not edited keeps what others change meanwhile.
  const [known] = useState(tenant);
  const [draft, setDraft] = useState(() => draftOf(tenant));
  const [pool, setPool] = useState(tenant.source_pool);
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const settings = complete(readDraft(draft));
  const change = changesOf(known, { ...readDraft(draft), source_pool: pool });
  const count = Object.keys(change).length;
  const submit = () => {
    setAsked(true);
    if (settings === null) return;
    run(async () => {
      await changeTenant(api, tenant.id, change);
      toast(words.saved);
      void queryClient.invalidateQueries({ queryKey: ['tenants'] });
      onClose();
    });
  };
  return (
    <Confirm
      title={words.editTitle}
      action={words.save(count)}
      busy={busy}
      unavailable={count === 0 && settings !== null ? words.unchanged : null}
      onConfirm={submit}
      onClose={onClose}
    >
      <TenantFields draft={draft} onChange={setDraft} asked={asked} />
      <PoolField value={pool} onChange={setPool} />
      <ChangeList known={known} change={change} />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

/** The fields that differ and hold a value. */
function changesOf(known: Tenant, wanted: { readonly [K in keyof Changed]: Tenant[K] | undefined }): Changed {
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && value !== (known[name as keyof Changed] ?? null),
    ),
  );
}

function ChangeList({ known, change }: { known: Tenant; change: Changed }) {
  const words = useWords(accountWords);
  const common = useWords(tenantWords);
  const textOf = useValueText();
  const names = Object.keys(change) as (keyof Changed)[];
  if (names.length === 0) return null;
  const differences: readonly Difference[] = names.map((name) => ({
    name: common.fields[name],
    before: textOf(name, known[name]),
    after: textOf(name, change[name]),
  }));
  return <Differences label={words.changes} differences={differences} />;
}

function useValueText(): (name: keyof Changed, value: unknown) => string {
  const common = useWords(tenantWords);
  const format = useFormat();
  const money = useMoney();
  return (name, value) => {
    if (name === 'require_ready_domains') return value === true ? common.onlyReady : common.anyVerified;
    if (value === null || value === undefined) return common.asInstallation;
    if (typeof value === 'boolean') return value ? common.certified : common.plain;
    if (typeof value !== 'number') return String(value);
    return name.startsWith('price') ? money(value) : format.number(value);
  };
}

const DEFAULT_POOL = 'default';

/** The pools that this process knows: each delivery process must have all of them. */
function PoolField({ value, onChange }: { value: string; onChange: (pool: string) => void }) {
  const words = useWords(accountWords);
  const common = useWords(tenantWords);
  const given = useSetting('ACUSE_SOURCE_POOLS')?.value ?? '';
  const names = given.split(',').flatMap((each) => /^\s*([^=\s]+)=/.exec(each)?.[1] ?? []);
  const all = [...new Set([DEFAULT_POOL, ...names, value])];
  return (
    <SelectField
      label={common.fields.source_pool}
      hint={all.length === 1 ? words.onlyPool : words.poolHint}
      value={value}
      choices={all.map((name) => ({ value: name, label: name }))}
      onChange={onChange}
    />
  );
}
