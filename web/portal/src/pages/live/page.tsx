import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import type { RecordedEventType, TailEvent } from '../../../../shared/api/portal-types.ts';
import { shownText } from '../../../../shared/format/foreign-text.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Mailbox } from '../../../../shared/mail/mailbox.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Failure } from '../../../../shared/ui/failure.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Hidden } from '../../../../shared/ui/hidden.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { Empty, Skeleton } from '../../../../shared/ui/states.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { type Column, Table, Whole } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { LiveFilters } from './filter-bar.tsx';
import { isFiltered, type Search, searchSchema } from './filters.ts';
import classes from './page.module.css';
import { ROWS_MAX } from './rows.ts';
import { type TailState, useTail } from './use-tail.ts';
import { liveWords } from './words.ts';

function LivePage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(liveWords);
  const [paused, setPaused] = useState(false);
  const actions = (
    <Button icon={paused ? Play : Pause} onClick={() => setPaused(!paused)}>
      {paused ? words.resume : words.pause}
    </Button>
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <LiveFilters search={search} setSearch={setSearch} />
      {/* Other filters begin anew. */}
      <Tail key={JSON.stringify(search)} search={search} paused={paused} />
    </>
  );
}

function Tail({ search, paused }: { search: Search; paused: boolean }) {
  const words = useWords(liveWords);
  const format = useFormat();
  const tail = useTail(search, paused);
  const columns = useColumns(tail.gaps);
  if (!tail.loaded && tail.rows.length === 0) {
    if (tail.error !== null) return <Failure error={tail.error} onRetry={tail.retry} />;
    return <Skeleton rows={10} />;
  }
  return (
    <>
      <State tail={tail} paused={paused} />
      {tail.rows.length === 0 ? (
        <Empty title={isFiltered(search) ? words.waitingTitle : words.emptyTitle}>
          {isFiltered(search) ? words.waiting : words.empty}
        </Empty>
      ) : (
        <Table label={words.title} columns={columns} rows={tail.rows} rowKey={({ id }) => id} />
      )}
      {tail.rows.length >= ROWS_MAX && (
        <Pager onMore={null}>
          <span>
            {words.full(format.number(ROWS_MAX))} <Link to="/messages">{words.toMessages}</Link>
          </span>
        </Pager>
      )}
    </>
  );
}

/** Said aloud when it changes; rows are not. */
function State({ tail, paused }: { tail: TailState; paused: boolean }) {
  const words = useWords(liveWords);
  const format = useFormat();
  const [tone, text]: [Tone, string] = paused
    ? ['neutral', words.paused]
    : tail.error === null
      ? ['sent', words.following]
      : ['failed', words.lost(format.timeOf(tail.workedAt))];
  return (
    <div className={classes['state']} role="status">
      <Status tone={tone}>{text}</Status>
    </div>
  );
}

const TONES: Readonly<Record<RecordedEventType, Tone>> = {
  'email.queued': 'neutral',
  'email.sent': 'sent',
  'email.deferred': 'waiting',
  'email.bounced': 'failed',
  'email.complained': 'failed',
  'email.cancelled': 'neutral',
  'email.sealed': 'sealed',
  'acknowledgement.given': 'sent',
  'acknowledgement.refused': 'failed',
  'acknowledgement.expired': 'neutral',
};

function useColumns(gaps: ReadonlySet<string>): readonly Column<TailEvent>[] {
  const words = useWords(liveWords);
  const format = useFormat();
  return [
    {
      id: 'event',
      head: words.type,
      phone: 'mark',
      cell: ({ message_id: id, type, subject }) => (
        <Link to={`/messages/${id}/timeline`} className={classes['row']}>
          <Status tone={TONES[type]}>{words.types[type]}</Status>
          <Hidden>{words.openMessage(shownText(subject, words.noSubject))}</Hidden>
        </Link>
      ),
    },
    {
      id: 'to',
      head: words.to,
      phone: 'lead',
      cell: ({ to }) => (
        <div className={classes['to']}>
          <Mailbox text={to} />
        </div>
      ),
    },
    {
      id: 'subject',
      head: words.subject,
      main: true,
      phone: 'below',
      cell: ({ id, subject, reply }) => (
        <>
          <div className={classes['cut']}>
            <Foreign text={subject} none={words.noSubject} />
          </div>
          {reply !== null && (
            <div className={`${classes['cut']} ${classes['reply']}`} lang="en">
              <Foreign text={reply} />
            </div>
          )}
          {gaps.has(id) && <Whole className={classes['gap']}>{words.behind}</Whole>}
        </>
      ),
    },
    {
      id: 'time',
      head: words.time,
      end: true,
      phone: 'corner',
      cell: ({ at }) => (
        <time dateTime={at} title={format.dateTime(at)} className={classes['time']}>
          {format.precise(at)}
        </time>
      ),
    },
  ];
}

export const page = definePage<Search>({
  path: '/live',
  search: searchSchema,
  title: (language) => liveWords[language].title,
  Page: LivePage,
});
