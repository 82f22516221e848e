import { useInfiniteQuery } from '@tanstack/react-query';
import { FilePlus } from 'lucide-react';
import type { Template } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link, useGo } from '../../../../shared/routing/link.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './page.module.css';
import { templatesQuery } from './queries.ts';
import { templatesWords } from './words.ts';

/** What is in them is downloaded one by one. */
const COLUMNS = ['id', 'name', 'version', 'subject', 'created_at', 'updated_at'];

function TemplatesPage() {
  const words = useWords(templatesWords);
  const can = useCan();
  const go = useGo();
  const create = (
    <Button kind="primary" icon={FilePlus} unavailable={can.send} onClick={() => go('/templates/new')}>
      {words.create}
    </Button>
  );
  const actions = (
    <>
      <ExportButton name="templates" path="/templates" query={{}} columns={COLUMNS} />
      {create}
    </>
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <TemplateList />
    </>
  );
}

function TemplateList() {
  const words = useWords(templatesWords);
  const api = useApi();
  const list = useInfiniteQuery(templatesQuery(api));
  const columns = useColumns();
  if (list.data === undefined) return <NotLoaded queries={[list]} rows={6} />;
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
      <Table label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
      <Pager
        onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
        busy={list.isFetchingNextPage}
      />
    </>
  );
}

function useColumns(): readonly Column<Template>[] {
  const words = useWords(templatesWords);
  const format = useFormat();
  return [
    {
      id: 'name',
      phone: 'lead',
      head: words.name,
      cell: ({ id, name }) => (
        <Link to={`/templates/${id}`} className={classes['name']}>
          <Foreign text={name} />
        </Link>
      ),
    },
    {
      id: 'subject',
      phone: 'below',
      head: words.subject,
      main: true,
      cell: ({ subject }) => <Foreign text={subject} none={words.noSubject} />,
    },
    {
      id: 'languages',
      head: words.languages,
      cell: ({ variants }) => (
        <div className={classes['tags']}>
          <span>{words.own}</span>
          {Object.keys(variants).map((tag) => (
            <code key={tag}>{tag}</code>
          ))}
        </div>
      ),
    },
    { id: 'version', head: words.version, end: true, cell: ({ version }) => format.number(version) },
    {
      id: 'updated',
      phone: 'corner',
      head: words.updated,
      end: true,
      cell: ({ updated_at: at }) => <Time iso={at} form="short" />,
    },
  ];
}

export const page = definePage({
  path: '/templates',
  search: {},
  title: (language) => templatesWords[language].title,
  Page: TemplatesPage,
});
