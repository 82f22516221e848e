import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { BadgeCheck } from 'lucide-react';
import { useState } from 'react';
import type { Domain } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { Listed } from '../../parts/listed.tsx';
import classes from './page.module.css';
import { partsWords } from './parts-words.ts';
import { domainsQuery, vouchForDomain } from './queries.ts';
import type { TabProps } from './tab.ts';

const TONES: Readonly<Record<Domain['status'], Tone>> = {
  pending: 'waiting',
  verified: 'sent',
  failing: 'failed',
};

const COLUMNS = [
  ...['id', 'name', 'status', 'readiness', 'failing_records', 'checked_at', 'grace_until', 'verified_at'],
  'created_at',
];

export default function DomainsTab({ tenant: { id } }: TabProps) {
  const words = useWords(partsWords);
  const list = useInfiniteQuery(domainsQuery(useApi(), id));
  const [vouching, setVouching] = useState<Domain | null>(null);
  const columns = useColumns(setVouching);
  return (
    <>
      <div className={classes['export']}>
        <ExportButton name="account-domains" path={`/tenants/${id}/domains`} query={{}} columns={COLUMNS} />
      </div>
      <Listed list={list} rows={4} empty={<Empty title={words.noDomainTitle}>{words.noDomain}</Empty>}>
        {(domains) => (
          <Table
            unfolds
            label={words.domains}
            columns={columns}
            rows={domains}
            rowKey={({ id: key }) => key}
          />
        )}
      </Listed>
      {vouching !== null && <Vouch tenantId={id} domain={vouching} onClose={() => setVouching(null)} />}
    </>
  );
}

function useColumns(onVouch: (domain: Domain) => void): readonly Column<Domain>[] {
  const words = useWords(partsWords);
  const format = useFormat();
  const can = useCan();
  return [
    {
      id: 'name',
      phone: 'lead',
      head: words.domain,
      main: true,
      cell: ({ name }) => (
        <strong>
          <Foreign text={name} />
        </strong>
      ),
    },
    {
      id: 'status',
      phone: 'mark',
      head: words.status,
      cell: ({ status }) => <Status tone={TONES[status]}>{words.domainStatuses[status]}</Status>,
    },
    {
      id: 'records',
      phone: 'below',
      head: words.records,
      cell: ({ records, status, checked_at: checked }) => {
        if (status === 'verified' && checked === null) return words.onWord;
        const required = records.filter((record) => record.required);
        const found = required.filter((record) => record.status === 'found');
        return words.found(format.number(found.length), format.number(required.length));
      },
    },
    {
      id: 'checked',
      head: words.checked,
      cell: ({ checked_at: at }) => (at === null ? words.never : <Time iso={at} form="relative" />),
    },
    {
      id: 'actions',
      head: words.actions,
      end: true,
      cell: (domain) => (
        <Button
          kind="quiet"
          icon={BadgeCheck}
          unavailable={can.administer ?? (domain.status === 'verified' ? words.isVerified : null)}
          onClick={() => onVouch(domain)}
        >
          {words.vouch}
        </Button>
      ),
    },
  ];
}

interface VouchProps {
  readonly tenantId: string;
  readonly domain: Domain;
  readonly onClose: () => void;
}

function Vouch({ tenantId, domain, onClose }: VouchProps) {
  const words = useWords(partsWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const missing = domain.records.filter((record) => record.required && record.status !== 'found');
  const submit = () =>
    run(async () => {
      await vouchForDomain(api, tenantId, domain.id);
      toast(words.vouched(domain.name));
      void queryClient.invalidateQueries({ queryKey: ['tenants', tenantId, 'domains'] });
      onClose();
    });
  return (
    <Confirm
      title={words.vouchTitle(domain.name)}
      action={words.vouchAction}
      danger
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.vouchLead}</p>
      {missing.length > 0 && (
        <ul className={classes['affected']} aria-label={words.missing}>
          {missing.map(({ purpose, type, name }) => (
            <li key={`${purpose} ${name}`}>
              {type}{' '}
              <code className={classes['what']}>
                <Foreign text={name} />
              </code>
            </li>
          ))}
        </ul>
      )}
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}
