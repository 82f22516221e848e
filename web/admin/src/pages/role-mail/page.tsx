import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { RoleMail } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { download } from '../../../../shared/format/download.ts';
import { shownText } from '../../../../shared/format/foreign-text.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { Listed } from '../../parts/listed.tsx';
import classes from './page.module.css';
import {
  bytesOf,
  countFilters,
  DAYS,
  KINDS,
  NO_FILTERS,
  ROLES,
  remove,
  roleMailQuery,
  type Search,
  searchSchema,
  toQuery,
} from './queries.ts';
import { roleMailWords } from './words.ts';

const COLUMNS = [
  'id',
  'received_at',
  'role',
  'kind',
  'from',
  'to',
  'subject',
  'client_address',
  'message_id',
];

/** Mail to postmaster, abuse and fbl that no message of ours could be found for. */
function RoleMailPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(roleMailWords);
  const list = useInfiniteQuery(roleMailQuery(useApi(), search));
  const [removing, setRemoving] = useState<RoleMail | null>(null);
  const columns = useColumns(setRemoving);
  const actions = (
    <ExportButton name="role-mail" path="/role-mail" query={toQuery(search)} columns={COLUMNS} />
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <Filters label={words.filters} active={countFilters(search)} onClear={() => setSearch(NO_FILTERS)}>
        <SelectField
          label={words.role}
          value={search.role}
          choices={ROLES.map((value) => ({
            value,
            label: value === '' ? words.anyRole : words.roles[value],
          }))}
          onChange={(role) => setSearch({ role })}
        />
        <SelectField
          label={words.kind}
          value={search.kind}
          choices={KINDS.map((value) => ({
            value,
            label: value === '' ? words.anyKind : words.kinds[value],
          }))}
          onChange={(kind) => setSearch({ kind })}
        />
        <PeriodField value={search} onChange={setSearch} periods={DAYS} />
      </Filters>
      <Listed
        list={list}
        empty={
          countFilters(search) > 0 ? (
            <NothingMatches onClear={() => setSearch(NO_FILTERS)} />
          ) : (
            <Empty title={words.emptyTitle}>{words.empty}</Empty>
          )
        }
      >
        {(rows) => (
          <Table unfolds label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
        )}
      </Listed>
      {removing !== null && <RemoveDialog mail={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function useColumns(onRemove: (mail: RoleMail) => void): readonly Column<RoleMail>[] {
  const words = useWords(roleMailWords);
  const can = useCan();
  return [
    {
      id: 'received',
      phone: 'corner',
      head: words.received,
      cell: ({ received_at: at }) => <Time iso={at} form="short" />,
    },
    {
      id: 'from',
      phone: 'below',
      head: words.from,
      cell: ({ from, to, client_address: address }) => (
        <div className={classes['from']}>
          <span>
            <Foreign text={from} />
          </span>
          <code>
            <Foreign text={to} />
          </code>
          <code>
            <Foreign text={address} />
          </code>
        </div>
      ),
    },
    { id: 'kind', phone: 'mark', head: words.kind, cell: ({ kind }) => words.kinds[kind] ?? kind },
    { id: 'says', phone: 'lead', head: words.says, main: true, cell: (mail) => <Says mail={mail} /> },
    {
      id: 'actions',
      head: words.actions,
      end: true,
      cell: (mail) => (
        <div className={classes['actions']}>
          <DownloadButton mail={mail} />
          <Button
            kind="icon"
            icon={Trash2}
            label={words.delete(shownText(mail.subject, words.noSubject))}
            unavailable={can.administer}
            onClick={() => onRemove(mail)}
          />
        </div>
      ),
    },
  ];
}

function Says({ mail: { subject, text, problem, message_id: messageId } }: { mail: RoleMail }) {
  const words = useWords(roleMailWords);
  return (
    <div className={classes['says']}>
      <strong>
        <Foreign text={subject} none={words.noSubject} />
      </strong>
      {problem !== null && (
        <p>
          {words.problems[problem] ?? problem}
          {messageId !== null && (
            <>
              {' '}
              <Link to={`/messages/${messageId}`}>{words.toMessage}</Link>
            </>
          )}
        </p>
      )}
      {text !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys
        <p className={classes['text']} tabIndex={0}>
          {text}
        </p>
      )}
    </div>
  );
}

function DownloadButton({ mail: { id, subject } }: { mail: RoleMail }) {
  const words = useWords(roleMailWords);
  const api = useApi();
  const { busy, error, run } = useSubmission();
  const save = () => run(async () => download(`${id}.eml`, await bytesOf(api, id)));
  return (
    <>
      <Button
        kind="icon"
        icon={Download}
        label={words.download(shownText(subject, words.noSubject))}
        busy={busy}
        onClick={save}
      />
      {error !== null && <Refusal error={error} />}
    </>
  );
}

function RemoveDialog({ mail, onClose }: { mail: RoleMail; onClose: () => void }) {
  const words = useWords(roleMailWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const submit = () =>
    run(async () => {
      try {
        await remove(api, mail.id);
        toast(words.deleted);
        onClose();
      } finally {
        void queryClient.invalidateQueries({ queryKey: ['role-mail'] });
      }
    });
  return (
    <Confirm
      title={words.deleteTitle}
      action={words.deleteAction}
      danger
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.deleteText}</p>
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

export const page = definePage<Search>({
  path: '/role-mail',
  search: searchSchema,
  title: (language) => roleMailWords[language].title,
  Page: RoleMailPage,
});
