import { useQuery } from '@tanstack/react-query';
import type { Approval } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { approvalsQuery } from '../../parts/approval-queries.ts';
import { approvalsWords } from './words.ts';

/** Where somebody looks who was not given a link (ms). */
const AGAIN_MS = 15_000;

function ApprovalsPage() {
  const words = useWords(approvalsWords);
  const api = useApi();
  const query = useQuery(approvalsQuery(api, AGAIN_MS));
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} />
      <Loaded query={query} rows={4}>
        {({ data }) =>
          data.length === 0 ? <Empty title={words.emptyTitle}>{words.empty}</Empty> : <Waiting rows={data} />
        }
      </Loaded>
    </>
  );
}

function Waiting({ rows }: { rows: readonly Approval[] }) {
  const words = useWords(approvalsWords);
  const columns: Column<Approval>[] = [
    {
      id: 'subject',
      phone: 'lead',
      head: words.subject,
      cell: ({ id, summary }) => (
        <Link to={`/approvals/${id}`}>
          {(summary?.subject ?? '') === '' ? words.noSubject : <Foreign text={summary?.subject ?? ''} />}
        </Link>
      ),
    },
    { id: 'to', phone: 'below', head: words.to, cell: ({ summary }) => <To addresses={summary?.to ?? []} /> },
    { id: 'asker', head: words.asker, cell: ({ api_key: key }) => <Foreign text={key.name} /> },
    {
      id: 'asked',
      phone: 'corner',
      head: words.asked,
      cell: ({ asked_at: at }) => <Time iso={at} form="short" />,
    },
    { id: 'ends', head: words.ends, cell: ({ ends_at: at }) => <Time iso={at} form="short" /> },
  ];
  return (
    <Stack>
      <p>{words.waiting(rows.length)}</p>
      <Table label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
    </Stack>
  );
}

function To({ addresses: [first = '', ...others] }: { addresses: readonly string[] }) {
  const words = useWords(approvalsWords);
  return <Foreign text={others.length === 0 ? first : words.more(first, others.length)} />;
}

export const page = definePage({
  path: '/approvals',
  search: {},
  title: (language) => approvalsWords[language].title,
  Page: ApprovalsPage,
});
