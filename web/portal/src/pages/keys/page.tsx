import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, ShieldAlert, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { isPast } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { searchText } from '../../../../shared/routing/search.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { keysQuery } from '../../parts/key-queries.ts';
import { CreateKey } from './create-key.tsx';
import { LeakedKey } from './leaked-key.tsx';
import classes from './page.module.css';
import { keysWords } from './words.ts';

const COLUMNS = [
  ...['id', 'name', 'scopes', 'read_only', 'needs_approval', 'senders', 'networks', 'created_at'],
  ...['created_by.name', 'last_used_at', 'last_used_from', 'expires_at', 'grant.resource', 'grant.until'],
];

function KeysPage() {
  const words = useWords(keysWords);
  const can = useCan();
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" icon={KeyRound} unavailable={can.manageKeys} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  const actions = (
    <>
      <ExportButton
        name="api-keys"
        path="/api-keys"
        query={{}}
        columns={COLUMNS}
        unavailable={can.manageKeys}
      />
      {create}
    </>
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      {can.manageKeys === null ? <KeyList /> : <Empty title={words.ownersTitle}>{words.owners}</Empty>}
      {creating && <CreateKey onClose={() => setCreating(false)} />}
    </>
  );
}

function KeyList() {
  const words = useWords(keysWords);
  const api = useApi();
  const list = useInfiniteQuery(keysQuery(api));
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [leaked, setLeaked] = useState<ApiKey | null>(null);
  const columns = useColumns(setRevoking, setLeaked);
  if (list.data === undefined) return <NotLoaded queries={[list]} rows={4} />;
  const rows = list.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0)
    return (
      <>
        <Stale queries={[list]} />
        <Empty title={words.emptyTitle}>{words.empty}</Empty>
      </>
    );
  return (
    <>
      <Stale queries={[list]} />
      <Table unfolds label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
      <Pager
        onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
        busy={list.isFetchingNextPage}
      />
      {leaked !== null && <LeakedKey apiKey={leaked} onClose={() => setLeaked(null)} />}
      {revoking !== null && <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function useColumns(
  onRevoke: (key: ApiKey) => void,
  onLeaked: (key: ApiKey) => void,
): readonly Column<ApiKey>[] {
  const words = useWords(keysWords);
  return [
    {
      id: 'name',
      phone: 'lead',
      head: words.name,
      cell: ({ name }) => (
        <strong>
          <Foreign text={name} />
        </strong>
      ),
      main: true,
    },
    {
      id: 'scopes',
      phone: 'foot',
      head: words.scopes,
      cell: (key) => (
        <div className={classes['stack']}>
          <div className={classes['scopes']}>
            {key.scopes.map((scope) => (
              <code key={scope}>{scope}</code>
            ))}
          </div>
          <Narrowed apiKey={key} />
        </div>
      ),
    },
    {
      id: 'created',
      head: words.created,
      cell: ({ created_at: at, created_by: maker }) => (
        <div className={classes['stack']}>
          <Time iso={at} form="date" />
          {maker != null && (
            <span className={classes['quiet']}>
              <Foreign text={maker.name} />
            </span>
          )}
        </div>
      ),
    },
    {
      id: 'used',
      phone: 'corner',
      head: words.lastUsed,
      cell: ({ id, scopes, last_used_at: at, last_used_from: from }) =>
        at === null ? (
          words.never
        ) : (
          <div className={`${classes['stack']} ${classes['used']}`}>
            <Time iso={at} form="relative" />
            {from != null && <span className={classes['quiet']}>{words.from(from)}</span>}
            {scopes.includes('messages:send') && (
              <Link to={`/messages${searchText({ api_key: id, days: 'all' })}`}>{words.itsMessages}</Link>
            )}
          </div>
        ),
    },
    {
      id: 'actions',
      head: words.actions,
      end: true,
      cell: (key) => <KeyActions apiKey={key} onRevoke={onRevoke} onLeaked={onLeaked} />,
    },
  ];
}

interface KeyActionsProps {
  readonly apiKey: ApiKey;
  readonly onRevoke: (key: ApiKey) => void;
  readonly onLeaked: (key: ApiKey) => void;
}

function KeyActions({ apiKey, onRevoke, onLeaked }: KeyActionsProps) {
  const words = useWords(keysWords);
  const can = useCan();
  return (
    <div className={classes['actions']}>
      <Button
        kind="icon"
        icon={ShieldAlert}
        label={words.leakedNamed(apiKey.name)}
        unavailable={can.manageKeys}
        onClick={() => onLeaked(apiKey)}
      />
      <Button
        kind="icon"
        icon={Trash2}
        label={words.revokeNamed(apiKey.name)}
        unavailable={can.manageKeys}
        onClick={() => onRevoke(apiKey)}
      />
    </div>
  );
}

function Narrowed({ apiKey }: { apiKey: ApiKey }) {
  const words = useWords(keysWords);
  const format = useFormat();
  const { senders, networks, read_only: parts, needs_approval: asks, grant } = apiKey;
  // A granted key is renewed until its grant ends.
  const until = grant?.until ?? apiKey.expires_at;
  const lines = [
    ...(grant == null ? [] : [words.agent(new URL(grant.resource).host)]),
    ...(senders == null ? [] : [words.onlyAs(senders.join(', '))]),
    ...(networks == null ? [] : [words.onlyFrom(networks.join(', '))]),
    ...(until == null ? [] : [isPast(until) ? words.ended : words.ends(format.date(until))]),
    ...(parts ?? []).map((part) => words.readOnly[part]),
    ...(asks === true ? [words.asks] : []),
  ];
  return lines.map((line) => (
    <span key={line} className={classes['quiet']}>
      {line}
    </span>
  ));
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const words = useWords(keysWords);
  const ui = useWords(uiWords);
  const format = useFormat();
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const revoke = () =>
    run(async () => {
      await api.call('DELETE', `/api-keys/${apiKey.id}`);
      toast(words.revoked);
      void queryClient.invalidateQueries({ queryKey: ['api-keys'] });
      onClose();
    });
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="danger" type="submit" busy={busy}>
        {words.revoke}
      </Button>
    </>
  );
  return (
    <Dialog title={words.revokeTitle(apiKey.name)} foot={foot} onSubmit={revoke} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <p>{words.revokeText}</p>
      {apiKey.last_used_at !== null && <p>{words.lastUsedNote(format.relative(apiKey.last_used_at))}</p>}
    </Dialog>
  );
}

export const page = definePage({
  path: '/keys',
  search: {},
  title: (language) => keysWords[language].title,
  Page: KeysPage,
});
