import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../../shared/api/error.ts';
import type {
  Approval,
  ApprovalContent,
  ApprovalDetail,
  MessagePart,
} from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button, ButtonLink } from '../../../../shared/ui/button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { type Fact, Facts, Panel, Row, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './page.module.css';
import { approvalWords } from './words.ts';

function ApprovalPage({ params }: PageProps) {
  const id = params['id'] ?? '';
  const words = useWords(approvalWords);
  const api = useApi();
  const query = useQuery({
    queryKey: ['approvals', 'one', id],
    queryFn: ({ signal }) => api.call<ApprovalDetail>('GET', `/approvals/${id}`, { signal }),
  });
  const { error } = query;
  const gone = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} />
      {gone ? (
        <Empty title={words.notFoundTitle} action={<ButtonLink to="/approvals">{words.toList}</ButtonLink>}>
          {words.notFound}
        </Empty>
      ) : (
        <Loaded query={query} rows={8}>
          {(approval) =>
            approval.state === 'waiting' ? <Asked approval={approval} /> : <Decided approval={approval} />
          }
        </Loaded>
      )}
    </>
  );
}

function Decided({ approval }: { approval: Approval }) {
  const words = useWords(approvalWords);
  const who = approval.decided_by ?? '';
  return (
    <Stack>
      {approval.state === 'approved' ? (
        <Notice tone="sent" live>
          {words.approved(who)}
        </Notice>
      ) : (
        <Notice live>{words.refused(who)}</Notice>
      )}
      <Row>
        {approval.message_id !== null && (
          <ButtonLink to={`/messages/${approval.message_id}`}>{words.toMessage}</ButtonLink>
        )}
        <ButtonLink to="/approvals">{words.toList}</ButtonLink>
      </Row>
    </Stack>
  );
}

function Asked({ approval }: { approval: ApprovalDetail }) {
  const words = useWords(approvalWords);
  const api = useApi();
  const can = useCan();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const { id, content, problem } = approval;
  const decide = (act: 'approve' | 'refuse', body?: object) =>
    run(async () => {
      try {
        await api.call<Approval>('POST', `/approvals/${id}/${act}`, body === undefined ? {} : { body });
      } finally {
        await queryClient.invalidateQueries({ queryKey: ['approvals'] });
      }
    });
  return (
    <Stack>
      {error !== null && <Refusal error={error} />}
      {problem !== null && (
        <Notice tone="failed">
          <strong>{words.problemTitle}</strong> <Said text={problem} />
        </Notice>
      )}
      <Panel>
        <Facts facts={useFacts(approval)} />
      </Panel>
      {content !== null && <Shown id={id} content={content} />}
      <Row>
        <Button
          kind="primary"
          busy={busy}
          unavailable={can.send ?? (content === null ? words.problemTitle : null)}
          onClick={() => content !== null && decide('approve', { shown: content.shown })}
        >
          {words.approve}
        </Button>
        <Button busy={busy} unavailable={can.send} onClick={() => decide('refuse')}>
          {words.refuse}
        </Button>
      </Row>
    </Stack>
  );
}

function useFacts({
  api_key: key,
  asked_at: asked,
  ends_at: ends,
  summary,
  content,
}: ApprovalDetail): Fact[] {
  const words = useWords(approvalWords);
  const format = useFormat();
  const recipients =
    content?.recipients.map(({ address, field }) => `${address}${words.fields[field]}`) ?? summary?.to ?? [];
  const subject = content?.subject ?? summary?.subject ?? '';
  const { certified = false } = content ?? summary ?? {};
  const kind = certified ? words.certified : words.plain;
  const attached = content?.parts.parts.filter(isFile) ?? [];
  const replyTo = content?.parts.headers.find(({ name }) => name.toLowerCase() === 'reply-to');
  return [
    { name: words.asker, value: <Foreign text={key.name} /> },
    { name: words.asked, value: <Time iso={asked} /> },
    { name: words.ends, value: <Time iso={ends} /> },
    { name: words.from, value: <Foreign text={content?.from ?? summary?.from ?? ''} /> },
    ...(replyTo === undefined ? [] : [{ name: words.replyTo, value: <Foreign text={replyTo.value} /> }]),
    { name: words.to, value: <Lines texts={recipients} /> },
    { name: words.subject, value: subject === '' ? words.noSubject : <Foreign text={subject} /> },
    { name: words.kind, value: content?.asks_acknowledgement === true ? words.acknowledged : kind },
    ...(content === null
      ? []
      : [
          {
            name: words.sendAt,
            value: content.send_at === null ? words.now : <Time iso={content.send_at} />,
          },
          {
            name: words.attachments,
            value:
              attached.length === 0 ? (
                words.none
              ) : (
                <Lines
                  texts={attached.map(
                    ({ filename, size_bytes: size }) =>
                      `${filename ?? words.unnamed} (${format.bytes(size)})`,
                  )}
                />
              ),
          },
        ]),
  ];
}

/** True for parts that the frame does not show as the message's text. */
function isFile({ disposition, filename, media_type: type }: MessagePart): boolean {
  return disposition === 'attachment' || filename !== null || !type.startsWith('text/');
}

function Lines({ texts }: { texts: readonly string[] }) {
  return (
    <ul className={classes['list']}>
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
        <li key={index}>
          <Foreign text={text} />
        </li>
      ))}
    </ul>
  );
}

function Shown({ id, content }: { id: string; content: ApprovalContent }) {
  const words = useWords(approvalWords);
  const api = useApi();
  const { parts, links, remote, truncated } = content.parts;
  const has = (type: string) =>
    parts.some((part) => part.media_type === type && part.disposition !== 'attachment');
  const both = has('text/html') && has('text/plain');
  const [part, setPart] = useState<'html' | 'text'>(has('text/html') ? 'html' : 'text');
  return (
    <Panel title={words.preview}>
      <Stack>
        {both && (
          <div className={classes['choice']}>
            <SelectField
              label={words.view}
              value={part}
              choices={(['html', 'text'] as const).map((value) => ({ value, label: words.views[value] }))}
              onChange={setPart}
            />
          </div>
        )}
        {remote.length > 0 && <Notice>{words.remote}</Notice>}
        {/* Its answer carries a policy of its own: the attribute alone would not keep it from loading. */}
        <iframe
          sandbox=""
          src={api.address(`/approvals/${id}/preview`, { part, images: 0 })}
          title={words.preview}
          className={classes['frame']}
        />
        {links.length > 0 && (
          <div>
            <h3>{words.links}</h3>
            <Lines texts={links.map(({ url, text }) => `${text} → ${url}`)} />
          </div>
        )}
        {truncated && <Notice tone="waiting">{words.cut}</Notice>}
      </Stack>
    </Panel>
  );
}

export const page = definePage({
  path: '/approvals/$id',
  search: {},
  title: (language) => approvalWords[language].title,
  Page: ApprovalPage,
});
