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
            <AttentionPanel attention={overview.attention} />
            <Totals overview={overview} />
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
          <Subject item={item} />: <Said text={item.text} />
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

/** What it is about, as a link to the part of a page that shows it. */
function Subject({ item }: { item: Attention }) {
  const { sealing, queue } = useWords(overviewWords).places;
  const { code, subject, tenant_id: tenant, tenant_name: account } = item;
  const ofAccount = (tab: string) => [`/tenants/${tenant}/${tab}`, account ?? tenant ?? ''] as const;
  const destination = [`/queue?destination=${encodeURIComponent(subject)}`, subject] as const;
  const places = {
    log_stopped: ['/sealing', sealing],
    queue_stuck: ['/queue', queue],
    sealing_late: ['/sealing', sealing],
    authority_failing: ['/sealing', sealing],
    authority_ends_soon: ['/sealing', sealing],
    constancias_lapsed: ['/sealing', sealing],
    destination_closed: destination,
    destination_paused: destination,
    account_paused: ofAccount('queue'),
    domain_failing: ofAccount('domains'),
    domain_degraded: ofAccount('domains'),
    webhook_failing: ofAccount('webhooks'),
  } as const satisfies Readonly<Record<Attention['code'], readonly [path: string, name: string]>>;
  const [to, name] = places[code];
  return (
    <Link to={to}>
      <Foreign text={name} />
    </Link>
  );
}

export const page = definePage({
  path: '/',
  search: {},
  title: (language) => overviewWords[language].title,
  queries: (api) => [overviewQuery(api)],
  Page: OverviewPage,
});
