import { useInfiniteQuery } from '@tanstack/react-query';
import { MailOpen } from 'lucide-react';
import type { MailSummary } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { Mailbox } from '../../../../shared/mail/mailbox.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { ButtonAnchor } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { mailQuery } from './queries.ts';
import { mailboxWords } from './words.ts';

/** The mailbox itself: reading, searching and deleting is there. */
const MAILBOX = '/sandbox/mailbox';

function MailboxPage() {
  const words = useWords(mailboxWords);
  const { account } = useMe();
  const open = (
    <ButtonAnchor href={MAILBOX} icon={MailOpen}>
      {words.open}
    </ButtonAnchor>
  );
  if (account?.sandbox !== true)
    return (
      <>
        <PageHeading title={words.title} />
        <Empty title={words.noneTitle}>{words.none}</Empty>
      </>
    );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={open} />
      <MailList />
    </>
  );
}

function MailList() {
  const words = useWords(mailboxWords);
  const api = useApi();
  const list = useInfiniteQuery(mailQuery(api));
  const columns = useColumns();
  if (list.data === undefined) return <NotLoaded queries={[list]} rows={8} />;
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

function useColumns(): readonly Column<MailSummary>[] {
  const words = useWords(mailboxWords);
  return [
    {
      id: 'to',
      head: words.to,
      cell: ({ id, rcpt_to: to }) => (
        <a className={classes['to']} href={`${MAILBOX}/${id}`}>
          <Foreign text={to} />
        </a>
      ),
    },
    {
      id: 'subject',
      head: words.subject,
      main: true,
      cell: ({ subject }) => <Foreign text={subject} none={words.noSubject} />,
    },
    { id: 'from', head: words.from, cell: ({ from, mail_from: path }) => <Mailbox text={from ?? path} /> },
    {
      id: 'received',
      head: words.received,
      end: true,
      cell: ({ received_at: at }) => <Time iso={at} form="short" />,
    },
  ];
}

export const page = definePage({
  path: '/mailbox',
  search: {},
  title: (language) => mailboxWords[language].title,
  Page: MailboxPage,
});
