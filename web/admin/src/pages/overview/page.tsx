import { useQuery } from '@tanstack/react-query';
import type { Attention, Overview } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { Figure, Figures } from '../../../../shared/ui/figures.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { overviewQuery } from './queries.ts';
import { overviewWords } from './words.ts';

function OverviewPage() {
  const words = useWords(overviewWords);
  const query = useQuery(overviewQuery(useApi()));
  return (
    <>
      <PageHeading title={words.title} />
      <Loaded query={query} rows={8}>
        {(overview) => (
          <Stack>
            <Totals overview={overview} />
            <AttentionPanel attention={overview.attention} />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function Totals({ overview }: { overview: Overview }) {
  const words = useWords(overviewWords);
  const format = useFormat();
  const age = (seconds: number) => (seconds === 0 ? words.none : format.duration(seconds * 1_000));
  const { due, held, waiting } = overview.queue;
  const { webhooks } = overview;
  const [dueText, heldText, waitingText] = [due, held, waiting].map(format.number);
  return (
    <Figures label={words.figures}>
      <Figure name={words.oldestUnsent} value={age(overview.oldest_unsent_seconds)} />
      <Figure name={words.oldestUnsealed} value={age(overview.oldest_unsealed_seconds)} />
      <Figure name={<Link to="/queue">{words.queue}</Link>} value={format.number(due + held + waiting)}>
        {words.queueParts(dueText!, heldText!, waitingText!)}
      </Figure>
      <Figure name={words.accepted} value={format.number(overview.accepted_last_minute)} />
      <Figure name={words.webhooks} value={format.number(webhooks.due + webhooks.held + webhooks.waiting)} />
      <Figure name={words.processes} value={format.number(overview.processes.length)} />
    </Figures>
  );
}

/** Paused on purpose is waiting; the rest are faults. */
const TONES: Readonly<Partial<Record<Attention['code'], Tone>>> = {
  destination_paused: 'waiting',
  account_paused: 'waiting',
  authority_ends_soon: 'waiting',
  destination_closed: 'waiting',
};

function AttentionPanel({ attention }: { attention: readonly Attention[] }) {
  const words = useWords(overviewWords);
  const columns: readonly Column<Attention>[] = [
    {
      id: 'what',
      head: words.what,
      cell: ({ code }) => <Status tone={TONES[code] ?? 'failed'}>{words.codes[code]}</Status>,
    },
    {
      id: 'details',
      head: words.details,
      main: true,
      cell: (item) => (
        <div className={classes['text']}>
          <Subject item={item} /> <Said text={item.text} />
        </div>
      ),
    },
    {
      id: 'at',
      head: words.at,
      end: true,
      cell: ({ at }) => at !== null && <Time iso={at} form="relative" />,
    },
  ];
  return (
    <Panel title={attention.length === 0 ? words.calm : words.needs(attention.length)}>
      {attention.length === 0 ? (
        <p>{words.quiet}</p>
      ) : (
        <Table
          label={words.attention}
          columns={columns}
          rows={attention}
          rowKey={({ code, subject }) => `${code} ${subject}`}
        />
      )}
    </Panel>
  );
}

function Subject({ item }: { item: Attention }) {
  const words = useWords(overviewWords);
  const { code, subject, tenant_id: tenant } = item;
  if (code === 'destination_closed' || code === 'destination_paused')
    return (
      <Link to={`/queue?destination=${encodeURIComponent(subject)}`}>
        <Foreign text={subject} />
      </Link>
    );
  if (code === 'sealing_late' || code === 'constancias_lapsed')
    return <Link to="/sealing">{words.sealing}</Link>;
  if (code === 'authority_failing' || code === 'authority_ends_soon')
    return (
      <Link to="/sealing">
        <Foreign text={subject} />
      </Link>
    );
  if (code === 'account_paused')
    return (
      <Link to={`/tenants/${subject}/queue`}>
        <Foreign text={subject} />
      </Link>
    );
  if (code === 'domain_failing' || code === 'domain_degraded')
    return <Link to={`/tenants/${tenant}/domains`}>{words.account}</Link>;
  if (code === 'webhook_failing') return <Link to={`/tenants/${tenant}`}>{words.account}</Link>;
  return null;
}

export const page = definePage({
  path: '/',
  search: {},
  title: (language) => overviewWords[language].title,
  queries: (api) => [overviewQuery(api)],
  Page: OverviewPage,
});
