import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asProblem } from '../../../../shared/api/error.ts';
import type { Message } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { usePreferences } from '../../../../shared/app/preferences.tsx';
import { createFormat, useFormat } from '../../../../shared/format/format.ts';
import { BounceAdvice } from '../../../../shared/mail/bounce.tsx';
import { OutcomeLine } from '../../../../shared/mail/outcome-line.tsx';
import { MessageStatusMark } from '../../../../shared/mail/status.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { type SearchSchema, searchText, text } from '../../../../shared/routing/search.ts';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { CodeBlock, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded, NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Notice, type NoticeTone } from '../../../../shared/ui/notice.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Segments } from '../../../../shared/ui/segments.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { nothingWords } from '../../parts/nothing-words.ts';
import { searchQuery, whyNothing } from '../../parts/search-query.ts';
import { pathOfFinding } from '../../shell/find.ts';
import { letterOf } from './letter.ts';
import classes from './page.module.css';
import {
  domainOf,
  domainQuery,
  isAddress,
  peopleOf,
  suppressionQuery,
  toAddressQuery,
  toPartQuery,
} from './queries.ts';
import { conclusionOf, healthOf, judge, type Verdict } from './verdict.ts';
import { recipientWords } from './words.ts';

interface Search {
  readonly address: string;
}
const searchSchema: SearchSchema<Search> = { address: text() };

/** One address, one sheet: what happened to its mail, what to do, and what to tell its owner. */
function RecipientPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(recipientWords);
  const address = search.address.trim();
  const known = isAddress(address);
  return (
    <>
      <PageHeading
        title={known ? <Foreign text={words.titleOf(address)} breaks /> : words.title}
        lead={words.lead}
      />
      <Filters label={words.address}>
        <SearchField
          label={words.address}
          placeholder={words.addressHint}
          value={search.address}
          onChange={(given) => setSearch({ address: given }, { replace: true })}
        />
      </Filters>
      {known && <Sheet key={address} address={address} />}
      {!known && address !== '' && <Whom key={address} part={address} />}
    </>
  );
}

function Sheet({ address }: { address: string }) {
  const api = useApi();
  const messages = useQuery(toAddressQuery(api, address));
  const suppression = useQuery(suppressionQuery(api, address));
  // Without the right to read suppressions the messages still tell most.
  const isForbidden = suppression.error !== null && asProblem(suppression.error).status === FORBIDDEN;
  const queries = isForbidden ? [messages] : [messages, suppression];
  if (messages.data === undefined || (suppression.data === undefined && !isForbidden))
    return <NotLoaded queries={queries} rows={8} />;
  const { data } = messages.data;
  const verdict = judge(data, suppression.data?.data[0] ?? null);
  return (
    <>
      <Stale queries={queries} />
      <Stack>
        <VerdictPanel verdict={verdict} address={address} />
        <Destination domain={domainOf(address)} verdict={verdict} />
        {data.length === 0 ? <Similar address={address} /> : <Messages address={address} rows={data} />}
        <Letter verdict={verdict} address={address} />
      </Stack>
    </>
  );
}

const FORBIDDEN = 403;

const TONES: Readonly<Record<Verdict['kind'], NoticeTone>> = {
  nothing: 'info',
  suppressed: 'failed',
  waiting: 'waiting',
  scheduled: 'waiting',
  delivered: 'sent',
  complained: 'failed',
  cancelled: 'failed',
  bounced: 'failed',
};

function VerdictPanel({ verdict, address }: { verdict: Verdict; address: string }) {
  const words = useWords(recipientWords);
  const format = useFormat();
  const message = 'message' in verdict ? verdict.message : null;
  return (
    <Notice tone={TONES[verdict.kind]}>
      <div className={classes['verdict']}>
        <b>
          {verdict.kind === 'suppressed'
            ? words.verdicts.suppressed(format.date(verdict.entry.created_at))
            : words.verdicts[verdict.kind]}
        </b>
        {verdict.kind === 'suppressed' && <p>{words.suppressedBy[verdict.entry.source]}</p>}
        {message !== null && <Reply message={message} />}
        <p>{words.todo[verdict.kind]}</p>
        <div className={classes['links']}>
          {verdict.kind === 'suppressed' && (
            <Link to={`/suppressions${searchText({ address })}`}>{words.toSuppression}</Link>
          )}
          {message !== null && <Link to={`/messages/${message.id}/timeline`}>{words.toMessage}</Link>}
        </div>
      </div>
    </Notice>
  );
}

/** The reply or report that decided, and what it means. */
function Reply({ message }: { message: Message }) {
  return (
    <>
      <BounceAdvice bounce={message.bounce} deferral={message.deferral} />
      <OutcomeLine whole message={message} className={classes['reply']} />
    </>
  );
}

function Destination({ domain, verdict }: { domain: string; verdict: Verdict }) {
  const words = useWords(recipientWords);
  const format = useFormat();
  const query = useQuery(domainQuery(useApi(), domain));
  return (
    <Panel title={<Foreign text={words.destination(domain)} />}>
      <Loaded query={query} rows={1}>
        {({ data }) => {
          const { sent, waiting, bounced } = healthOf(data);
          const tells = conclusionOf({ sent, waiting, bounced }, verdict);
          const [all, ...counts] = [sent + waiting + bounced, sent, waiting, bounced].map(format.number);
          if (sent + waiting + bounced === 0) return <p>{words.healthNone}</p>;
          return (
            <>
              <p>{words.health(all!, counts[0]!, counts[1]!, counts[2]!)}</p>
              {tells !== null && <p>{words.conclusions[tells]}</p>}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** People whose address or name the text is a part of. */
function Whom({ part }: { part: string }) {
  const words = useWords(recipientWords);
  const messages = useQuery(toPartQuery(useApi(), part));
  return (
    <Loaded query={messages} rows={3}>
      {({ data }) => {
        const people = peopleOf(data, part);
        if (people.length === 0) return <p>{words.notAnAddress}</p>;
        return (
          <Panel title={words.whom}>
            <ul className={classes['similar']}>
              {people.map(([address, to]) => (
                <li key={address}>
                  <Link to={`/recipient${searchText({ address })}`}>
                    <Foreign text={to} />
                  </Link>
                </li>
              ))}
            </ul>
          </Panel>
        );
      }}
    </Loaded>
  );
}

/** To whom else something like it went. */
function Similar({ address }: { address: string }) {
  const words = useWords(recipientWords);
  const nothing = useWords(nothingWords);
  const format = useFormat();
  const api = useApi();
  const whole = useQuery(searchQuery(api, address));
  const similar = useQuery(searchQuery(api, address.slice(0, address.lastIndexOf('@'))));
  const queries = [whole, similar];
  if (whole.data === undefined || similar.data === undefined) return <NotLoaded queries={queries} rows={2} />;
  const { nothing: found } = whole.data;
  const messages = similar.data.data.filter(({ kind }) => kind === 'message');
  return (
    <>
      <Stale queries={queries} />
      {found !== null && <p>{whyNothing(found, nothing, format).join(' ')}</p>}
      {messages.length > 0 && (
        <Panel title={words.similar}>
          <ul className={classes['similar']}>
            {messages.map((each) => (
              <li key={each.id}>
                <Link to={pathOfFinding(each)}>
                  <Foreign text={each.label} />
                </Link>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function Messages({ address, rows }: { address: string; rows: readonly Message[] }) {
  const words = useWords(recipientWords);
  const columns: readonly Column<Message>[] = [
    {
      id: 'status',
      head: words.status,
      cell: ({ id, status }) => (
        <Link to={`/messages/${id}/timeline`}>
          <MessageStatusMark status={status} />
        </Link>
      ),
    },
    {
      id: 'subject',
      head: words.subject,
      main: true,
      cell: ({ subject, bounce, deferral }) => (
        <>
          <Foreign text={subject} none={words.noSubject} />
          <BounceAdvice
            bounce={bounce}
            deferral={deferral}
            className={`${classes['reply']} ${classes['whole']}`}
          />
        </>
      ),
    },
    { id: 'time', head: words.time, end: true, cell: ({ created_at: at }) => <Time iso={at} form="short" /> },
  ];
  return (
    <Section
      title={words.messages}
      actions={<Link to={`/messages${searchText({ to: address, days: 'all' })}`}>{words.allMessages}</Link>}
    >
      <Table label={words.messages} columns={columns} rows={rows} rowKey={({ id }) => id} />
    </Section>
  );
}

function Letter({ verdict, address }: { verdict: Verdict; address: string }) {
  const words = useWords(recipientWords);
  const { language: own, timeZone } = usePreferences();
  const [language, setLanguage] = useState(own);
  const letter = letterOf({ address, verdict, language, format: createFormat(language, timeZone) });
  return (
    <Section
      title={words.letter}
      hint={words.letterHint}
      actions={
        <Segments
          label={words.letterLanguage}
          value={language}
          choices={(['es', 'en'] as const).map((value) => ({ value, label: words.languages[value] }))}
          onChange={setLanguage}
        />
      }
    >
      <div lang={language} className={classes['letter']}>
        <CodeBlock text={letter} label={words.letterText} wrap />
      </div>
    </Section>
  );
}

export const page = definePage<Search>({
  path: '/recipient',
  search: searchSchema,
  title: (language) => recipientWords[language].title,
  queries: (api, _params, { address }) =>
    isAddress(address.trim()) ? [toAddressQuery(api, address.trim())] : [],
  Page: RecipientPage,
});
