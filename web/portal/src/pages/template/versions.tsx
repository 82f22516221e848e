import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import type { Template, TemplateVersion } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { searchText } from '../../../../shared/routing/search.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Diff } from '../../../../shared/ui/diff.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Pager, Stack } from '../../../../shared/ui/layout.tsx';
import { NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { useContentName } from './content-name.ts';
import { type Content, contentsOf, NO_CONTENT, OWN } from './draft.ts';
import { versionsQuery } from './queries.ts';
import { Restore } from './restore.tsx';
import type { Search } from './search.ts';
import type { Editing } from './use-editing.ts';
import classes from './versions.module.css';
import { versionsWords } from './versions-words.ts';

interface VersionsProps {
  readonly template: Template;
  readonly editing: Editing;
  readonly search: Search;
  readonly setSearch: PageProps<Search>['setSearch'];
}

export default function Versions({ template, editing, search, setSearch }: VersionsProps) {
  const words = useWords(versionsWords);
  const api = useApi();
  const list = useInfiniteQuery(versionsQuery(api, template.id, template.version));
  if (list.data === undefined) return <NotLoaded queries={[list]} rows={8} />;
  const versions = list.data.pages.flatMap(({ data }) => data);
  const shown = versions.find(({ version }) => version === search.version) ?? versions[0];
  return (
    <>
      <Stale queries={[list]} />
      <p className={classes['lead']}>{words.versionsLead}</p>
      <div className={classes['columns']}>
        <div>
          <VersionList template={template} versions={versions} shown={shown?.version ?? 0} />
          <Pager
            onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
            busy={list.isFetchingNextPage}
          />
        </div>
        {shown !== undefined && (
          <Compared
            template={template}
            editing={editing}
            versions={versions}
            shown={shown}
            against={search.against}
            onAgainst={(against) => setSearch({ against }, { replace: true })}
          />
        )}
      </div>
    </>
  );
}

interface ListProps {
  readonly template: Template;
  readonly versions: readonly TemplateVersion[];
  readonly shown: number;
}

function VersionList({ template, versions, shown }: ListProps) {
  const words = useWords(versionsWords);
  const format = useFormat();
  return (
    <ol className={classes['list']} aria-label={words.list}>
      {versions.map(({ version, created_at: at }) => (
        <li key={version} data-selected={version === shown}>
          <Link
            to={`/templates/${template.id}${searchText({ tab: 'versions', version })}`}
            current={version === shown}
            replace
          >
            {words.versionNamed(format.number(version))}
          </Link>
          {version === template.version && <span className={classes['current']}>{words.current}</span>}
          <Time iso={at} form="short" />
        </li>
      ))}
    </ol>
  );
}

interface ComparedProps {
  readonly template: Template;
  readonly editing: Editing;
  readonly versions: readonly TemplateVersion[];
  readonly shown: TemplateVersion;
  /** 0: the one before it. */
  readonly against: number;
  readonly onAgainst: (version: number) => void;
}

function Compared({ template, editing, versions, shown, against, onAgainst }: ComparedProps) {
  const words = useWords(versionsWords);
  const format = useFormat();
  const can = useCan();
  const [restoring, setRestoring] = useState(false);
  const other = versions.find(({ version }) => version === (against === 0 ? shown.version - 1 : against));
  const isCurrent = shown.version === template.version;
  const unavailable = can.send ?? (isCurrent ? words.isCurrent : editing.unsaved ? words.hasUnsaved : null);
  const choices = versions
    .filter(({ version }) => version !== shown.version)
    .map(({ version }) => ({ value: String(version), label: words.versionNamed(format.number(version)) }));
  return (
    <section aria-label={words.versionNamed(format.number(shown.version))} className={classes['compared']}>
      <div className={classes['head']}>
        <h2>{words.versionNamed(format.number(shown.version))}</h2>
        <SelectField
          label={words.comparedWith}
          value={against === shown.version ? '0' : String(against)}
          choices={[{ value: '0', label: words.previous }, ...choices]}
          onChange={(value) => onAgainst(Number(value))}
        />
        <Button icon={History} unavailable={unavailable} onClick={() => setRestoring(true)}>
          {words.restore}
        </Button>
      </div>
      {other === undefined && shown.version === 1 && <Notice>{words.first}</Notice>}
      <Differences before={other ?? null} after={shown} />
      {restoring && (
        <Restore
          template={template}
          version={shown}
          onRestored={editing.take}
          onClose={() => setRestoring(false)}
        />
      )}
    </section>
  );
}

const PARTS = ['subject', 'html', 'text'] as const satisfies readonly (keyof Content)[];

/** Each part of each language that is another. `before` null: all of it is new. */
function Differences({ before, after }: { before: TemplateVersion | null; after: TemplateVersion }) {
  const words = useWords(versionsWords);
  const nameOf = useContentName();
  const [old, now] = [before === null ? {} : contentsOf(before), contentsOf(after)];
  const tags = [...new Set([OWN, ...Object.keys(old), ...Object.keys(now)])].sort();
  const changed = tags.flatMap((tag) =>
    PARTS.map((part) => ({
      title: words.changedIn(words.partNames[part], nameOf(tag)),
      before: (old[tag] ?? NO_CONTENT)[part],
      after: (now[tag] ?? NO_CONTENT)[part],
    })),
  );
  const different = changed.filter((each) => each.before !== each.after);
  if (different.length === 0) return <Notice>{words.same}</Notice>;
  return (
    <Stack>
      {different.map(({ title, ...texts }) => (
        <div key={title}>
          <h3 className={classes['part']}>{title}</h3>
          <Diff label={title} {...texts} />
        </div>
      ))}
    </Stack>
  );
}
