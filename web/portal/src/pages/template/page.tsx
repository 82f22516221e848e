import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { Template } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { searchText } from '../../../../shared/routing/search.ts';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { Tabs } from '../../../../shared/ui/tabs.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Actions } from './actions.tsx';
import { contentsOf } from './draft.ts';
import { LeaveGuard } from './leave-guard.tsx';
import classes from './page.module.css';
import { templateQuery } from './queries.ts';
import { type Search, searchSchema, TABS } from './search.ts';
import { useTestData } from './test-data.ts';
import { useEditing } from './use-editing.ts';
import { templateWords } from './words.ts';

const Editor = lazy(() => import('./editor.tsx'));
const NewerNotice = lazy(() => import('./newer-notice.tsx'));
const Versions = lazy(() => import('./versions.tsx'));
const Use = lazy(() => import('./use.tsx'));

function TemplatePage({ params, search, setSearch }: PageProps<Search>) {
  const api = useApi();
  const { id = '' } = params;
  return (
    <Loaded query={useQuery(templateQuery(api, id))} rows={10} whole list="/templates">
      {(template) => <Workspace key={id} template={template} search={search} setSearch={setSearch} />}
    </Loaded>
  );
}

interface WorkspaceProps extends Omit<PageProps<Search>, 'params'> {
  readonly template: Template;
}

function Workspace({ template, search, setSearch }: WorkspaceProps) {
  const words = useWords(templateWords);
  const format = useFormat();
  const editing = useEditing(template);
  const data = useTestData(template.id, sourcesOf(template));
  const { id, name, version, updated_at: at } = template;
  const tabs = TABS.map((tab) => ({
    id: tab,
    label: words.tabs[tab],
    to: `/templates/${id}${searchText(tab === 'edit' ? {} : { tab })}`,
  }));
  return (
    <>
      <LeaveGuard editing={editing} />
      <PageHeading
        title={<Foreign text={name} />}
        lead={words.lead(format.number(version), format.relative(at))}
        actions={<Actions editing={editing} data={data} template={template} setSearch={setSearch} />}
      />
      {editing.unsaved && (
        <div className={classes['unsaved']}>
          <Status tone="waiting" badge>
            {words.unsaved}
          </Status>
        </div>
      )}
      <Suspense>
        {editing.newer !== null && <NewerNotice newer={editing.newer} take={editing.take} />}
      </Suspense>
      <Tabs current={search.tab} tabs={tabs} />
      <Suspense fallback={<Skeleton rows={10} />}>
        {search.tab === 'edit' && (
          <Editor editing={editing} data={data} search={search} setSearch={setSearch} />
        )}
        {search.tab === 'versions' && (
          <Versions template={template} editing={editing} search={search} setSearch={setSearch} />
        )}
        {search.tab === 'use' && (
          <Use template={template} data={data} search={search} setSearch={setSearch} />
        )}
      </Suspense>
    </>
  );
}

function sourcesOf(template: Template): string[] {
  return Object.values(contentsOf(template)).flatMap(({ subject, text, html }) => [subject, text, html]);
}

export const page = definePage<Search>({
  path: '/templates/$id',
  search: searchSchema,
  title: (language) => templateWords[language].title,
  queries: (api, { id = '' }) => [templateQuery(api, id)],
  Page: TemplatePage,
});
