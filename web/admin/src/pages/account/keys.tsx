import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { Listed } from '../../parts/listed.tsx';
import classes from './page.module.css';
import { partsWords } from './parts-words.ts';
import { keysQuery, revokeKey } from './queries.ts';
import type { TabProps } from './tab.ts';

const COLUMNS = [
  ...['id', 'name', 'scopes', 'read_only', 'needs_approval', 'senders', 'networks', 'created_at'],
  ...['created_by.name', 'last_used_at', 'last_used_from', 'expires_at', 'grant.resource', 'grant.until'],
];

/** The account's keys; the operator revokes one that leaked, and makes none. */
export default function KeysTab({ tenant: { id } }: TabProps) {
  const words = useWords(partsWords);
  const list = useInfiniteQuery(keysQuery(useApi(), id));
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const columns = useColumns(setRevoking);
  return (
    <>
      <div className={classes['export']}>
        <ExportButton name="account-keys" path={`/tenants/${id}/api-keys`} query={{}} columns={COLUMNS} />
      </div>
      <Listed list={list} rows={4} empty={<Empty title={words.noKeyTitle}>{words.noKey}</Empty>}>
        {(keys) => (
          <Table unfolds label={words.keys} columns={columns} rows={keys} rowKey={({ id: key }) => key} />
        )}
      </Listed>
      {revoking !== null && <Revoke tenantId={id} apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function useColumns(onRevoke: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  const words = useWords(partsWords);
  const can = useCan();
  return [
    {
      id: 'name',
      phone: 'lead',
      head: words.key,
      main: true,
      cell: ({ name }) => (
        <strong>
          <Foreign text={name} />
        </strong>
      ),
    },
    {
      id: 'scopes',
      phone: 'foot',
      head: words.scopes,
      cell: ({ scopes }) => (
        <div className={classes['scopes']}>
          {scopes.map((scope) => (
            <code key={scope}>{scope}</code>
          ))}
        </div>
      ),
    },
    { id: 'created', head: words.created, cell: ({ created_at: at }) => <Time iso={at} form="date" /> },
    {
      id: 'used',
      phone: 'corner',
      head: words.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? words.neverUsed : <Time iso={at} form="relative" />),
    },
    {
      id: 'actions',
      head: words.actions,
      end: true,
      cell: (key) => (
        <Button
          kind="icon"
          icon={Trash2}
          label={words.revokeNamed(key.name)}
          unavailable={can.administer}
          onClick={() => onRevoke(key)}
        />
      ),
    },
  ];
}

interface RevokeProps {
  readonly tenantId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

function Revoke({ tenantId, apiKey, onClose }: RevokeProps) {
  const words = useWords(partsWords);
  const api = useApi();
  const format = useFormat();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const used = apiKey.last_used_at;
  const submit = () =>
    run(async () => {
      await revokeKey(api, tenantId, apiKey.id);
      toast(words.revoked(apiKey.name));
      void queryClient.invalidateQueries({ queryKey: ['tenants', tenantId, 'api-keys'] });
      onClose();
    });
  return (
    <Confirm
      title={words.revokeTitle(apiKey.name)}
      action={words.revoke}
      danger
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.revokeText}</p>
      {used !== null && <p>{words.usedNote(format.relative(used))}</p>}
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}
