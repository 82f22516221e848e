import { useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { UserSession } from '../../api/portal-types.ts';
import { Button } from '../../ui/button.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { Section } from '../../ui/section.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useWords } from '../../words/use-words.ts';
import { useApi } from '../api-context.tsx';
import { useEnding } from './ending.ts';
import { useOwn } from './own.ts';
import { sessionsQuery } from './queries.ts';
import { youWords } from './words.ts';
import classes from './you.module.css';

const EndOthers = lazy(() => import('./end-others.tsx'));

/** Where somebody is signed in. */
export default function Sessions() {
  const words = useWords(youWords);
  const list = useQuery(sessionsQuery(useApi(), useOwn().path));
  const [asked, setAsked] = useState(false);
  const isAlone = list.data?.data.every(({ current }) => current) === true;
  const endOthers = (
    <Button unavailable={isAlone ? words.noOthers : null} onClick={() => setAsked(true)}>
      {words.endOthers}
    </Button>
  );
  return (
    <Section title={words.sessions} hint={words.sessionsHint} actions={endOthers}>
      <Loaded query={list} rows={2}>
        {({ data }) => <SessionTable sessions={data} />}
      </Loaded>
      <Suspense>{asked && <EndOthers onClose={() => setAsked(false)} />}</Suspense>
    </Section>
  );
}

function SessionTable({ sessions }: { sessions: readonly UserSession[] }) {
  const words = useWords(youWords);
  const { busy, error, end } = useEnding();
  const { path } = useOwn();
  const nameOf = useDeviceName();
  const columns: readonly Column<UserSession>[] = [
    {
      id: 'device',
      head: words.device,
      cell: ({ device, current }) => (
        <>
          <strong>{nameOf(device)}</strong>
          {current && <span className={classes['tag']}>{words.current}</span>}
        </>
      ),
      main: true,
    },
    {
      id: 'address',
      head: words.address,
      cell: ({ client_address: address }) => (
        <code>
          <Foreign text={address} />
        </code>
      ),
    },
    { id: 'signedIn', head: words.signedIn, cell: ({ created_at: at }) => <Time iso={at} form="short" /> },
    {
      id: 'lastSeen',
      head: words.lastSeen,
      cell: ({ last_seen_at: at }) => <Time iso={at} form="relative" />,
    },
    {
      id: 'end',
      head: words.end,
      end: true,
      cell: ({ id, current, device, client_address: address }) =>
        !current && (
          <Button
            kind="icon"
            icon={LogOut}
            label={words.endOf(nameOf(device), address)}
            busy={busy}
            onClick={() => end(`${path}/sessions/${id}`, words.ended)}
          />
        ),
    },
  ];
  return (
    <>
      {error !== null && <Refusal error={error} />}
      <Table label={words.sessions} columns={columns} rows={sessions} rowKey={({ id }) => id} />
    </>
  );
}

/** The server's English names: `Firefox on Linux`, `iPhone`, `Unknown`. */
function useDeviceName(): (device: string) => string {
  const words = useWords(youWords);
  return (device) => {
    const [browser, system] = device.split(' on ', 2);
    if (system !== undefined) return words.deviceName(browser!, system);
    return device === 'Unknown' ? words.unknownDevice : device;
  };
}
