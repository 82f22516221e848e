import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Eye, LockKeyhole } from 'lucide-react';
import { useState } from 'react';
import type { MessagePart, OpenedContent, OperatorMessage } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { download } from '../../../../shared/format/download.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { mailWords } from '../../../../shared/mail/words.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { CodeBlock, Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { OpenDialog } from './dialogs.tsx';
import classes from './page.module.css';
import { contentKey, contentQuery, partPath, partQuery, SHOWN_BYTES } from './queries.ts';
import { messageWords } from './words.ts';

/** Closed until the operator opens it with a reason that the customer reads. */
export function Content({ message }: { message: OperatorMessage }) {
  const words = useWords(messageWords);
  const api = useApi();
  const can = useCan();
  const queryClient = useQueryClient();
  const { message_id: id, content_deleted_at: deletedAt } = message;
  const enabled = can.administer === null && deletedAt === null;
  const query = useQuery({ ...contentQuery(api, id), enabled });
  const [asking, setAsking] = useState(false);
  if (deletedAt !== null)
    return (
      <Section title={words.content}>
        <Notice>{words.deleted}</Notice>
      </Section>
    );
  const onOpened = (opened: OpenedContent) => queryClient.setQueryData(contentKey(id), opened);
  const closed = <Closed reason={can.administer} onOpen={() => setAsking(true)} />;
  return (
    <Section title={words.content}>
      {enabled ? (
        <Loaded query={query} rows={3}>
          {(opened) => (opened === null ? closed : <Opened id={id} opened={opened} />)}
        </Loaded>
      ) : (
        closed
      )}
      {asking && <OpenDialog id={id} onOpened={onOpened} onClose={() => setAsking(false)} />}
    </Section>
  );
}

function Closed({ reason, onOpen }: { reason: string | null; onOpen: () => void }) {
  const words = useWords(messageWords);
  return (
    <Panel>
      <div className={classes['closed']}>
        <LockKeyhole size={20} aria-hidden="true" />
        <div>
          <strong>{words.closed}</strong>
          <p className={classes['quiet']}>{words.closedText}</p>
        </div>
        <Button unavailable={reason} onClick={onOpen}>
          {words.openContent}
        </Button>
      </div>
    </Panel>
  );
}

function Opened({ id, opened }: { id: string; opened: OpenedContent }) {
  const words = useWords(messageWords);
  const format = useFormat();
  const [shown, setShown] = useState(firstText(opened));
  const columns = useColumns(id, shown, setShown);
  const part = opened.parts.find(({ index }) => index === shown);
  return (
    <Stack>
      <Notice tone="waiting">{words.openUntil(format.time(opened.expires_at))}</Notice>
      <Panel title={words.headers}>
        <Facts facts={factsOf(opened)} />
      </Panel>
      <Table
        label={words.parts}
        columns={columns}
        rows={opened.parts}
        rowKey={({ index }) => String(index)}
        selected={shown === null ? null : String(shown)}
      />
      {part !== undefined && <PartText id={id} part={part} />}
    </Stack>
  );
}

/** Fields of one name stand together, as a list of names has it. */
function factsOf({ headers }: OpenedContent) {
  const values = new Map<string, string[]>();
  for (const { name, value } of headers) values.set(name, [...(values.get(name) ?? []), value]);
  return [...values].map(([name, all]) => ({ name, value: all.join('\n') }));
}

function isText({ media_type: type, disposition }: MessagePart): boolean {
  return type.startsWith('text/') && disposition !== 'attachment';
}

function firstText({ parts }: OpenedContent): number | null {
  const plain = parts.find((part) => part.media_type === 'text/plain' && isText(part));
  return (plain ?? parts.find(isText))?.index ?? null;
}

function useColumns(id: string, shown: number | null, show: (index: number) => void): Column<MessagePart>[] {
  const words = useWords(messageWords);
  const api = useApi();
  const format = useFormat();
  const nameOf = ({ filename, index }: MessagePart) => filename ?? words.unnamed(index + 1);
  async function save(part: MessagePart) {
    download(nameOf(part), await api.bytes(partPath(id, part.index)));
  }
  return [
    {
      id: 'name',
      head: words.part,
      main: true,
      cell: (part) => (
        <>
          <div className={classes['name']}>{nameOf(part)}</div>
          <div className={classes['note']}>{part.media_type}</div>
        </>
      ),
    },
    { id: 'size', head: words.size, end: true, cell: ({ size_bytes: size }) => format.bytes(size) },
    { id: 'hash', head: words.hash, cell: ({ sha256 }) => <Hash value={sha256} what={words.hash} /> },
    {
      id: 'actions',
      head: words.actions,
      end: true,
      cell: (part) => (
        <div className={classes['actions']}>
          {isText(part) && (
            <Button
              kind="icon"
              icon={Eye}
              label={words.show(nameOf(part))}
              pressed={part.index === shown}
              onClick={() => show(part.index)}
            />
          )}
          <Button
            kind="icon"
            icon={Download}
            label={words.download(nameOf(part))}
            onClick={() => void save(part)}
          />
        </div>
      ),
    },
  ];
}

/** Shows HTML as text too: nothing is loaded or run. */
function PartText({ id, part }: { id: string; part: MessagePart }) {
  const words = useWords(messageWords);
  const format = useFormat();
  const mail = useWords(mailWords);
  const query = useQuery(partQuery(useApi(), id, part.index));
  return (
    <Loaded query={query} rows={4}>
      {({ text, guessed, cut }) => (
        <Stack>
          {guessed && <Notice tone="waiting">{mail.guessedCharset}</Notice>}
          {cut && <Notice>{words.cut(format.bytes(SHOWN_BYTES))}</Notice>}
          <CodeBlock label={part.filename ?? part.media_type} text={text} />
        </Stack>
      )}
    </Loaded>
  );
}
