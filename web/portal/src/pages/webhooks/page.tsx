import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Webhook } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useStateReason, WebhookState } from '../../../../shared/webhooks/state.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { webhooksQuery } from '../../parts/webhooks/queries.ts';
import { webhookWords } from '../../parts/webhooks/words.ts';
import { AddWebhook } from './add-webhook.tsx';
import classes from './page.module.css';
import { webhooksWords } from './words.ts';

const COLUMNS = [
  ...['id', 'url', 'description', 'events', 'enabled', 'disabled_reason', 'failing_since', 'disables_at'],
  ...['created_at', 'updated_at'],
];

function WebhooksPage() {
  const words = useWords(webhooksWords);
  const api = useApi();
  const can = useCan();
  const [adding, setAdding] = useState(false);
  const columns = useColumns();
  const add = (
    <Button kind="primary" icon={Plus} unavailable={can.send} onClick={() => setAdding(true)}>
      {words.create}
    </Button>
  );
  const actions = (
    <>
      <ExportButton name="webhooks" path="/webhooks" query={{}} columns={COLUMNS} whole="data" />
      {add}
    </>
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <Loaded query={useQuery(webhooksQuery(api))} rows={4}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.emptyTitle} action={add}>
              {words.empty}
            </Empty>
          ) : (
            <Table label={words.title} columns={columns} rows={data} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
      {adding && <AddWebhook onClose={() => setAdding(false)} />}
    </>
  );
}

function useColumns(): readonly Column<Webhook>[] {
  const words = useWords(webhooksWords);
  const shared = useWords(webhookWords);
  const reasonOf = useStateReason();
  return [
    {
      id: 'url',
      phone: 'lead',
      head: words.endpoint,
      main: true,
      cell: ({ id, url, description }) => (
        <>
          <Link to={`/webhooks/${id}/deliveries`} className={classes['url']}>
            <Foreign text={url} />
          </Link>
          {description !== null && (
            <div className={classes['quiet']}>
              <Foreign text={description} />
            </div>
          )}
        </>
      ),
    },
    {
      id: 'events',
      head: shared.events,
      cell: ({ events }) => (
        <div className={classes['events']}>
          {events.includes('*') ? shared.all : events.map((event) => <code key={event}>{event}</code>)}
        </div>
      ),
    },
    {
      id: 'state',
      phone: 'foot',
      head: words.state,
      cell: (webhook) => (
        <div className={classes['state']}>
          <WebhookState webhook={webhook} />
          {reasonOf(webhook) !== null && <div className={classes['quiet']}>{reasonOf(webhook)}</div>}
        </div>
      ),
    },
    {
      id: 'added',
      head: words.added,
      end: true,
      cell: ({ created_at: at }) => <Time iso={at} form="date" />,
    },
  ];
}

export const page = definePage({
  path: '/webhooks',
  search: {},
  title: (language) => webhooksWords[language].title,
  queries: (api) => [webhooksQuery(api)],
  Page: WebhooksPage,
});
