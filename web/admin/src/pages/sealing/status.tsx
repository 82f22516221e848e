import { useQuery } from '@tanstack/react-query';
import type { AuthorityStatus, LogStatus, SealingStatus } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { daysUntil } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Fault } from '../../../../shared/mail/fault.tsx';
import { Figure, Figures } from '../../../../shared/ui/figures.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded, NotLoaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Keys } from './keys.tsx';
import classes from './page.module.css';
import { lastBatchQuery, sealingQuery } from './queries.ts';
import { Renewals } from './renewals.tsx';
import { Witnesses } from './witnesses.tsx';
import { sealingWords } from './words.ts';

export default function StatusTab() {
  const query = useQuery(sealingQuery(useApi()));
  const words = useWords(sealingWords);
  return (
    <Loaded query={query} rows={8}>
      {(status) => (
        <Stack>
          {status.logs.map((log) => (
            <Stopped key={log.origin} log={log} />
          ))}
          {status.development && <Notice tone="waiting">{words.development}</Notice>}
          <Totals status={status} />
          {status.logs.map((log) => (
            <Ended key={log.origin} log={log} />
          ))}
          {status.logs.map((log) => (
            <Held key={log.origin} log={log} />
          ))}
          <Authorities authorities={status.authorities} />
          <Keys logs={status.logs} />
          <Witnesses />
          <Renewals constancias={status.constancias} />
        </Stack>
      )}
    </Loaded>
  );
}

function Totals({ status: { logs, constancias } }: { status: SealingStatus }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  const batches = useQuery(lastBatchQuery(useApi()));
  const sum = (name: 'leaves' | 'pending_leaves' | 'unstamped') =>
    logs.reduce((total, log) => total + log[name], 0);
  if (batches.data === undefined) return <NotLoaded queries={[batches]} rows={2} />;
  const last = batches.data.data[0];
  return (
    <Figures label={words.figures}>
      <Figure name={words.leaves} value={format.number(sum('leaves'))}>
        {logs.map(({ origin }) => origin).join(', ') || words.noLog}
      </Figure>
      <Figure
        name={words.lastBatch}
        value={last === undefined ? words.none : <Time iso={last.created_at} form="relative" />}
      >
        {last !== undefined && words.batchLeaves(last.leaves, format.number(last.leaves))}
      </Figure>
      <Figure name={words.pending} value={format.number(sum('pending_leaves'))}>
        {words.unstamped(sum('unstamped'), format.number(sum('unstamped')))}
      </Figure>
      <Figure name={words.constancias} value={format.number(constancias.count)}>
        {words.renewalsMade(constancias.renewals, format.number(constancias.renewals))}
      </Figure>
    </Figures>
  );
}

/** The two notes that contradict each other, as they were signed. */
function Stopped({ log: { origin, ended_at: endedAt, stop } }: { log: LogStatus }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  if (stop === null || endedAt !== null) return null;
  return (
    <Notice tone="failed">
      <p>{words.stopped(origin, format.relative(stop.at), stop.witness)}</p>
      <p>{words.stoppedFix}</p>
      <p>{words.witnessHas(stop.witness)}</p>
      <pre className={classes['signed']}>{stop.witness_note}</pre>
      <p>{words.databaseHas}</p>
      <pre className={classes['signed']}>{stop.own_note ?? words.none}</pre>
    </Notice>
  );
}

function Ended({ log: { origin, ended_at: at, unsealed_leaves: unsealed } }: { log: LogStatus }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  if (at === null) return null;
  return (
    <Notice tone="waiting">
      {words.ended(origin, format.relative(at))} {words.neverSealed(unsealed, format.number(unsealed))}
    </Notice>
  );
}

/** Why the oldest checkpoint has no constancia yet. */
function Held({ log }: { log: LogStatus }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  const { origin, last_error: error, oldest_unstamped_at: since, attempts, next_attempt_at: next } = log;
  if (error === null || since === null) return null;
  return (
    <Notice tone="failed">
      <strong>{words.held(origin, format.relative(since), attempts ?? 0)}</strong>
      <p>
        <Fault text={error} />
      </p>
      {next !== null && <p>{words.again(format.relative(next))}</p>}
    </Notice>
  );
}

function Authorities({ authorities }: { authorities: readonly AuthorityStatus[] }) {
  const words = useWords(sealingWords);
  const columns: readonly Column<AuthorityStatus>[] = [
    {
      id: 'name',
      head: words.authority,
      main: true,
      cell: ({ name, failures, last_error: error }) => (
        <>
          <div className={classes['name']} translate="no">
            <Foreign text={name} />
          </div>
          {failures > 0 && error !== null && (
            <div className={classes['note']}>
              <Fault text={error} />
            </div>
          )}
        </>
      ),
    },
    { id: 'state', head: words.state, cell: (authority) => <AuthorityState authority={authority} /> },
    {
      id: 'sealed',
      head: words.lastSeal,
      cell: ({ sealed_at: at }) => (at === null ? words.never : <Time iso={at} form="relative" />),
    },
    { id: 'ends', head: words.certificateEnds, cell: (authority) => <Ends authority={authority} /> },
  ];
  return (
    <Section title={words.authorities} hint={words.authoritiesHint}>
      {authorities.length === 0 ? (
        <p>{words.noAuthority}</p>
      ) : (
        <Table label={words.authorities} columns={columns} rows={authorities} rowKey={({ name }) => name} />
      )}
    </Section>
  );
}

function AuthorityState({ authority: { failures, paused_until: until } }: { authority: AuthorityStatus }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  if (failures === 0) return <Status tone="sent">{words.works}</Status>;
  return (
    <>
      <Status tone="failed">{words.failing(format.number(failures))}</Status>
      {until !== null && <div className={classes['note']}>{words.pausedUntil(format.time(until))}</div>}
    </>
  );
}

function Ends({ authority }: { authority: AuthorityStatus }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  const { chain_not_after: end, ends_soon: soon } = authority;
  if (end === null) return words.unknown;
  const days = daysUntil(end);
  const left = words.daysLeft(days, format.number(days));
  return (
    <>
      <Time iso={end} form="date" />
      <div className={soon ? undefined : classes['note']}>
        {soon ? <Status tone="waiting">{left}</Status> : left}
      </div>
    </>
  );
}
