import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../../../shared/api/error.ts';
import type { Grant, GrantRequest, GrantScope } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { definePage } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { CheckField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { type Fact, Facts, Form, Panel, Row, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './page.module.css';
import { connectWords } from './words.ts';

/** The program's part of the address; it may have more that means nothing here. RFC 6749 §3.1 */
const ASKED = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'resource',
  'code_challenge',
  'code_challenge_method',
] as const;

/** Where a person lets an agent's program act for the account: the authorization endpoint of OAuth. */
function ConnectPage() {
  const words = useWords(connectWords);
  const can = useCan();
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} />
      {can.manageKeys === null ? <Asked /> : <Empty title={words.ownersTitle}>{words.owners}</Empty>}
    </>
  );
}

function Asked() {
  const api = useApi();
  const { account } = useMe();
  const search = useLocation({ select: (location) => location.search as Readonly<Record<string, unknown>> });
  const given = ASKED.filter((name) => search[name] !== undefined);
  const asked = Object.fromEntries(given.map((name) => [name, String(search[name])]));
  const query = useQuery({
    queryKey: ['grant-request', account?.id, asked],
    queryFn: ({ signal }) => api.call<GrantRequest>('GET', '/grants/request', { query: asked, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { error } = query;
  // Nobody is sent anywhere for a program or an address that is not known.
  if (error instanceof ApiError && (error.status === 400 || error.status === 404))
    return (
      <Notice tone="failed">
        <Said text={error.message} />
      </Notice>
    );
  return (
    <Loaded query={query} rows={6}>
      {(request) =>
        request.problem === null ? <Consent asked={asked} request={request} /> : <Problem request={request} />
      }
    </Loaded>
  );
}

interface ConsentProps {
  readonly asked: Readonly<Record<string, string>>;
  readonly request: GrantRequest;
}

function Consent({ asked, request }: ConsentProps) {
  const words = useWords(connectWords);
  const api = useApi();
  const [scopes, setScopes] = useState<readonly GrantScope[]>(request.scopes);
  const [asks, setAsks] = useState(true);
  const [left, setLeft] = useState(false);
  const { busy, error, run } = useSubmission();
  const facts = useFacts(request);
  const connect = () => {
    if (scopes.length === 0) return;
    run(async () => {
      const granted = await api.call<Grant>('POST', '/grants', {
        body: { scopes, needs_approval: asks && scopes.includes('messages:send'), request: asked },
      });
      setLeft(true);
      location.assign(granted.redirect_to);
    });
  };
  if (left)
    return (
      <Notice tone="sent" live>
        {words.leaving(request.returns_to)}
      </Notice>
    );
  return (
    <Panel>
      <Form onSubmit={connect}>
        {error !== null && <Refusal error={error} />}
        <Facts facts={facts} />
        <fieldset className={classes['group']}>
          <legend>{words.scopes}</legend>
          {request.scopes.map((scope) => (
            <CheckField
              key={scope}
              label={words.scopeTexts[scope]}
              checked={scopes.includes(scope)}
              onChange={(checked) =>
                setScopes(checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
              }
            />
          ))}
          {scopes.includes('messages:send') && (
            <CheckField label={words.asks} checked={asks} onChange={setAsks} />
          )}
          {scopes.length === 0 && (
            <p className={classes['error']} role="alert">
              {words.needsScope}
            </p>
          )}
        </fieldset>
        {request.is_local && <Notice tone="waiting">{words.localWarning}</Notice>}
        <Row>
          <Button kind="primary" type="submit" busy={busy}>
            {words.connect}
          </Button>
          <Button onClick={() => location.assign(request.back_url)}>{words.refuse}</Button>
        </Row>
      </Form>
    </Panel>
  );
}

function useFacts({
  program,
  described_at: describedAt,
  returns_to: host,
  is_local: isLocal,
  resource,
  until,
}: GrantRequest): readonly Fact[] {
  const words = useWords(connectWords);
  const format = useFormat();
  const { account } = useMe();
  const noted = (text: string, note: string | null) => (
    <div className={classes['stack']}>
      <strong>
        <Foreign text={text} />
      </strong>
      {note !== null && <span className={classes['quiet']}>{note}</span>}
    </div>
  );
  return [
    {
      name: words.program,
      value: noted(program, describedAt === null ? words.programNote : words.describedNote(describedAt)),
    },
    { name: words.returnsTo, value: noted(host, isLocal ? words.local : null) },
    { name: words.account, value: noted(account?.name ?? '', null) },
    { name: words.server, value: <code>{resource}</code> },
    { name: words.until, value: noted(format.date(until), words.untilNote) },
  ];
}

function Problem({ request }: { request: GrantRequest }) {
  const words = useWords(connectWords);
  return (
    <Panel title={words.problemTitle}>
      <Stack>
        <Notice tone="failed">
          <Said text={request.problem ?? ''} />
        </Notice>
        <Facts facts={useFacts(request).slice(0, 2)} />
        <Row>
          <Button onClick={() => location.assign(request.back_url)}>{words.back(request.returns_to)}</Button>
        </Row>
      </Stack>
    </Panel>
  );
}

export const page = definePage({
  path: '/connect',
  search: {},
  title: (language) => connectWords[language].title,
  Page: ConnectPage,
});
