import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import type { WebhookDelivery } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { mergeNewest } from '../../../../shared/app/newest.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Fault } from '../../../../shared/mail/fault.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { Button, ButtonLink } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Hidden } from '../../../../shared/ui/hidden.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { NothingMatches, NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { AnswerInWords, useAdvice } from '../../../../shared/webhooks/answer.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { EVENTS } from '../../parts/webhooks/fields.tsx';
import classes from './deliveries.module.css';
import { countFilters, DAYS, NO_FILTERS, STATUSES, type TabProps } from './filters.ts';
import { deliveriesQuery, newestQuery, toQuery } from './queries.ts';
import { toneOf } from './tone.ts';
import { detailWords } from './words.ts';

const COLUMNS = [
  ...['id', 'created_at', 'type', 'status', 'attempts', 'last_status_code', 'last_error', 'next_attempt_at'],
  'message_id',
];

export default function DeliveriesTab({ webhook, search, setSearch }: TabProps) {
  const words = useWords(detailWords);
  return (
    <>
      <div className={classes['bar']}>
        <Filters label={words.filters} active={countFilters(search)} onClear={() => setSearch(NO_FILTERS)}>
          <SelectField
            label={words.status}
            value={search.status}
            choices={[
              { value: '', label: words.anyStatus },
              ...STATUSES.map((value) => ({ value, label: words.statuses[value] })),
            ]}
            onChange={(status) => setSearch({ status })}
          />
          <SelectField
            label={words.type}
            value={search.type}
            choices={[
              { value: '', label: words.anyType },
              ...EVENTS.map((value) => ({ value, label: value })),
            ]}
            onChange={(type) => setSearch({ type })}
          />
          <PeriodField value={search} onChange={setSearch} periods={DAYS} />
        </Filters>
        <ExportButton
          name="webhook-deliveries"
          path={`/webhooks/${webhook.id}/deliveries`}
          query={toQuery(search)}
          columns={COLUMNS}
        />
      </div>
      <DeliveryList webhook={webhook} search={search} setSearch={setSearch} />
    </>
  );
}

function DeliveryList({ webhook, search, setSearch }: TabProps) {
  const { id } = webhook;
  const words = useWords(detailWords);
  const api = useApi();
  const format = useFormat();
  const queryClient = useQueryClient();
  const list = useInfiniteQuery(deliveriesQuery(api, id, search));
  const newest = useQuery(newestQuery(api, id, search));
  const columns = useColumns(id);
  if (list.data === undefined) return <NotLoaded queries={[list]} rows={8} />;
  const { rows, newRows } = mergeNewest(
    list.data.pages.flatMap(({ data }) => data),
    newest.data?.data ?? [],
  );
  const showNew = () => void queryClient.resetQueries({ queryKey: ['webhooks', 'deliveries', id, search] });
  const scannedTo = list.data.pages.at(-1)?.scanned_to;
  return (
    <>
      <Stale queries={[list, newest]} />
      <div className={classes['new']} aria-live="polite">
        {newRows > 0 && <Button onClick={showNew}>{words.newRows(newRows)}</Button>}
      </div>
      {(webhook.failing_since !== null || webhook.disabled_reason === 'failing') && <Fails rows={rows} />}
      {rows.length > 0 && (
        <Table label={words.tabs.deliveries} columns={columns} rows={rows} rowKey={(row) => row.id} />
      )}
      {rows.length === 0 && !list.hasNextPage && countFilters(search) > 0 && (
        <NothingMatches onClear={() => setSearch(NO_FILTERS)} />
      )}
      {rows.length === 0 && newRows === 0 && countFilters(search) === 0 && (
        <Empty
          title={words.emptyTitle}
          action={
            <ButtonLink to={`/webhooks/${id}/test`} kind="primary" icon={Send}>
              {words.toTest}
            </ButtonLink>
          }
        >
          {words.empty}
        </Empty>
      )}
      {(rows.length > 0 || list.hasNextPage) && (
        <Pager
          onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
          busy={list.isFetchingNextPage}
        >
          {!list.hasNextPage && words.everything}
          {list.hasNextPage && scannedTo && words.searchedBackTo(format.date(scannedTo))}
        </Pager>
      )}
    </>
  );
}

/** What the last call came to, and what helps. */
function Fails({ rows }: { rows: readonly WebhookDelivery[] }) {
  const adviceOn = useAdvice();
  const last = rows.find(({ attempts, last_error: error }) => attempts > 0 && error !== null);
  if (last === undefined) return null;
  return (
    <p className={classes['fails']}>
      <b>
        <AnswerInWords {...last} />.
      </b>{' '}
      {adviceOn(last)}
    </p>
  );
}

function useColumns(webhookId: string): readonly Column<WebhookDelivery>[] {
  const words = useWords(detailWords);
  const format = useFormat();
  return [
    {
      id: 'status',
      head: words.status,
      phone: 'mark',
      cell: ({ id, status, type, attempts }) => (
        <Link to={`/webhooks/${webhookId}/deliveries/${id}`} className={classes['row']}>
          <Status tone={toneOf(status)} working={status === 'pending' && attempts === 0}>
            {words.statuses[status]}
          </Status>
          <Hidden>{words.open(type)}</Hidden>
        </Link>
      ),
    },
    { id: 'type', head: words.type, phone: 'lead', cell: ({ type }) => <code>{type}</code> },
    {
      id: 'answer',
      head: words.lastAnswer,
      main: true,
      phone: 'foot',
      cell: ({ status, next_attempt_at: next, ...row }) => (
        <>
          <LastAnswer delivery={row} />
          {status === 'pending' && next !== null && row.attempts > 0 && (
            <div className={classes['quiet']}>{`${words.next}: ${format.relative(next)}`}</div>
          )}
        </>
      ),
    },
    { id: 'attempts', head: words.attempts, end: true, cell: ({ attempts }) => format.number(attempts) },
    {
      id: 'created',
      head: words.created,
      end: true,
      phone: 'corner',
      cell: ({ created_at: at }) => <Time iso={at} form="short" />,
    },
  ];
}

type Answered = Pick<WebhookDelivery, 'attempts' | 'last_status_code' | 'last_error'>;

function LastAnswer({ delivery: { last_status_code: code, last_error: error } }: { delivery: Answered }) {
  const words = useWords(detailWords);
  if (code !== null) return <code>{code}</code>;
  if (error !== null) return <Fault text={error} />;
  return <span className={classes['quiet']}>{words.noAnswerYet}</span>;
}
