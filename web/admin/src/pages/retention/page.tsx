import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { RetentionCount, RetentionStatus } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link, useGo } from '../../../../shared/routing/link.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { CodeBlock, type Fact, Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './page.module.css';
import { retentionQuery } from './queries.ts';
import { retentionWords } from './words.ts';

/** How long content is kept, what is past it, and erasing one message on request. */
function RetentionPage() {
  const words = useWords(retentionWords);
  const query = useQuery(retentionQuery(useApi()));
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} />
      <Stack>
        <Loaded query={query} rows={6}>
          {(status) => <Rules status={status} />}
        </Loaded>
        <EraseOne />
      </Stack>
    </>
  );
}

/** Nothing does so automatically. */
const RUN_CERTIFIED = 'acuse retention run --certified';

function Rules({ status }: { status: RetentionStatus }) {
  const words = useWords(retentionWords);
  const format = useFormat();
  const last = (at: string | null) => (at === null ? words.never : <Time iso={at} />);
  return (
    <div className={classes['columns']}>
      <Rule
        title={words.plain}
        period={words.days(status.plain_days, format.number(status.plain_days))}
        text={words.plainText}
        facts={[
          { name: words.plainDue, value: due('plain_due') },
          { name: words.deleted, value: count('deleted_after_days') },
          { name: words.lastDeleted, value: last(status.last_deleted_at) },
        ]}
      />
      <Rule
        title={words.records}
        period={words.days(status.record_days, format.number(status.record_days))}
        text={words.recordsText}
        facts={[
          { name: words.recordsDue, value: due('records_due') },
          { name: words.deleted, value: format.number(status.records_deleted) },
          ...(status.records_begin_at === null
            ? []
            : [{ name: words.recordsBegin, value: <Time iso={status.records_begin_at} /> }]),
        ]}
      />
      <Rule
        title={words.certified}
        period={words.years(status.certified_years, format.number(status.certified_years))}
        text={words.certifiedText}
        facts={[
          { name: words.certifiedPast, value: due('certified_past') },
          { name: words.erased, value: count('erased') },
          { name: words.lastErased, value: last(status.last_erased_at) },
        ]}
      >
        {status.certified_past > 0 && (
          <div className={classes['code']}>
            <CodeBlock label={words.run} text={RUN_CERTIFIED} />
          </div>
        )}
      </Rule>
    </div>
  );

  function count(name: RetentionCount): string {
    const text = format.number(status[name]);
    return status.at_least.includes(name) ? words.orMore(text) : text;
  }

  function due(name: RetentionCount): ReactNode {
    if (status[name] === 0 && !status.at_least.includes(name)) return words.none;
    return <Status tone="waiting">{count(name)}</Status>;
  }
}

interface RuleProps {
  readonly title: string;
  readonly period: string;
  readonly text: string;
  readonly facts: readonly Fact[];
  readonly children?: ReactNode;
}

function Rule({ title, period, text, facts, children }: RuleProps) {
  return (
    <Panel title={title}>
      <div className={classes['rule']}>
        <div className={classes['period']}>{period}</div>
        <p className={classes['quiet']}>{text}</p>
      </div>
      <Facts facts={facts} />
      {children}
    </Panel>
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Leads to the message, which shows what would be erased and asks. */
function EraseOne() {
  const words = useWords(retentionWords);
  const can = useCan();
  const go = useGo();
  const [id, setId] = useState('');
  const [asked, setAsked] = useState(false);
  const typed = id.trim().toLowerCase();
  const fits = UUID.test(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (can.administer === null && fits) go(`/messages/${typed}?do=erase`);
  };
  return (
    <Section title={words.eraseTitle} hint={words.eraseHint}>
      <form className={classes['form']} onSubmit={submit} noValidate>
        <TextField
          label={words.id}
          value={id}
          onChange={setId}
          error={asked && !fits ? words.needsId : null}
          autoComplete="off"
          mono
        />
        <Button type="submit" unavailable={can.administer}>
          {words.find}
        </Button>
      </form>
      <p>
        <Link to="/audit?action=message.erase">{words.record}</Link>
      </p>
    </Section>
  );
}

export const page = definePage({
  path: '/retention',
  search: {},
  title: (language) => retentionWords[language].title,
  queries: (api) => [retentionQuery(api)],
  Page: RetentionPage,
});
