import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { FingerprintPattern, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Passkey, PasskeyList } from '../api/admin-types.ts';
import type { ApiClient } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Foreign } from '../ui/foreign.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useWords } from '../words/use-words.ts';
import { useApi } from './api-context.tsx';
import { passkeyLack } from './passkey-lack.ts';
import { passkeyWords } from './passkey-words.ts';
import classes from './passkeys-section.module.css';
import { ownPasskeyWords } from './passkeys-section-words.ts';
import { SESSION_KEY } from './session.ts';

const AddPasskey = lazy(() => import('./passkey-dialogs.tsx').then((all) => ({ default: all.AddPasskey })));
const RenamePasskey = lazy(() =>
  import('./passkey-dialogs.tsx').then((all) => ({ default: all.RenamePasskey })),
);
const RemovePasskey = lazy(() =>
  import('./passkey-dialogs.tsx').then((all) => ({ default: all.RemovePasskey })),
);

function passkeysQuery(api: ApiClient, path: string) {
  return queryOptions({
    queryKey: ['passkeys', path],
    queryFn: ({ signal }) => api.call<PasskeyList>('GET', path, { signal }),
  });
}

type Asked = { readonly what: 'add' } | { readonly what: 'rename' | 'remove'; readonly passkey: Passkey };

/** One's own passkeys. `path`: `/user/passkeys`, and `/operator/passkeys` in the console. */
export default function PasskeysSection({ path }: { path: string }) {
  const words = useWords(ownPasskeyWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const list = useQuery(passkeysQuery(api, path));
  const [asked, setAsked] = useState<Asked | null>(null);
  const { lacks } = useWords(passkeyWords);
  const lack = passkeyLack();
  const close = () => {
    setAsked(null);
    void queryClient.invalidateQueries({ queryKey: ['passkeys'] });
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
  };
  const add = (
    <Button
      icon={FingerprintPattern}
      unavailable={lack === null ? null : lacks[lack]}
      onClick={() => setAsked({ what: 'add' })}
    >
      {words.add}
    </Button>
  );
  return (
    <Section title={words.title} hint={words.hint} actions={add}>
      <Loaded query={list} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.emptyTitle}>{words.empty}</Empty>
          ) : (
            <PasskeyTable passkeys={data} onAsk={setAsked} />
          )
        }
      </Loaded>
      <Suspense>
        {asked?.what === 'add' && <AddPasskey path={path} onClose={close} />}
        {asked?.what === 'rename' && <RenamePasskey path={path} passkey={asked.passkey} onClose={close} />}
        {asked?.what === 'remove' && <RemovePasskey path={path} passkey={asked.passkey} onClose={close} />}
      </Suspense>
    </Section>
  );
}

interface PasskeyTableProps {
  readonly passkeys: readonly Passkey[];
  readonly onAsk: (asked: Asked) => void;
}

function PasskeyTable({ passkeys, onAsk }: PasskeyTableProps) {
  const words = useWords(ownPasskeyWords);
  const columns: readonly Column<Passkey>[] = [
    {
      id: 'name',
      head: words.name,
      cell: ({ name }) => (
        <strong>
          <Foreign text={name} />
        </strong>
      ),
      main: true,
    },
    {
      id: 'kept',
      head: words.kept,
      cell: ({ synced }) => <span className={classes['kept']}>{synced ? words.synced : words.device}</span>,
    },
    { id: 'created', head: words.created, cell: ({ created_at: at }) => <Time iso={at} form="date" /> },
    {
      id: 'used',
      head: words.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? words.never : <Time iso={at} form="relative" />),
    },
    {
      id: 'rename',
      head: words.rename,
      end: true,
      cell: (passkey) => (
        <Button
          kind="icon"
          icon={Pencil}
          label={words.renameOf(passkey.name)}
          onClick={() => onAsk({ what: 'rename', passkey })}
        />
      ),
    },
    {
      id: 'remove',
      head: words.remove,
      end: true,
      cell: (passkey) => (
        <Button
          kind="icon"
          icon={Trash2}
          label={words.removeOf(passkey.name)}
          onClick={() => onAsk({ what: 'remove', passkey })}
        />
      ),
    },
  ];
  return <Table label={words.title} columns={columns} rows={passkeys} rowKey={({ id }) => id} />;
}
