import { useQuery } from '@tanstack/react-query';
import { Download, Image } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Message, MessagePart, MessageParts } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { download } from '../../../../shared/format/download.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { mailWords } from '../../../../shared/mail/words.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { CodeBlock, Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './content.module.css';
import { FromArchive } from './from-archive.tsx';
import { partsQuery, textQuery } from './queries.ts';
import { messageWords } from './words.ts';

const VIEWS = ['html', 'text', 'headers', 'parts', 'raw'] as const;
type View = (typeof VIEWS)[number];
/** The rest is in the download (bytes). */
const SHOWN_BYTES = 256 * 1024;

export default function ContentTab({ message }: { message: Message }) {
  const words = useWords(messageWords);
  const api = useApi();
  const query = useQuery({ ...partsQuery(api, message.id), enabled: message.content_deleted_at === null });
  if (message.content_deleted_at !== null) return <Notice>{words.deleted}</Notice>;
  return (
    <Stack>
      <FromArchive message={message} />
      <Loaded query={query}>{(parts) => <Views id={message.id} parts={parts} />}</Loaded>
    </Stack>
  );
}

function Views({ id, parts }: { id: string; parts: MessageParts }) {
  const words = useWords(messageWords);
  const html = bodyOf(parts, 'text/html');
  const text = bodyOf(parts, 'text/plain');
  const [view, setView] = useState<View>(html === undefined ? 'text' : 'html');
  const choice = (
    <SelectField
      label={words.view}
      value={view}
      choices={VIEWS.map((value) => ({ value, label: words.views[value] }))}
      onChange={setView}
    />
  );
  return (
    <Stack>
      {parts.truncated && <Notice tone="waiting">{words.cutParts}</Notice>}
      {(view !== 'html' || html === undefined) && <div className={classes['bar']}>{choice}</div>}
      {view === 'html' && html === undefined && <p>{words.noHtml}</p>}
      {view === 'html' && html !== undefined && <HtmlView id={id} parts={parts} choice={choice} />}
      {view === 'text' &&
        (text === undefined ? (
          <p>{words.noText}</p>
        ) : (
          <TextView path={`/messages/${id}/parts/${text.index}`} label={words.views.text} />
        ))}
      {view === 'headers' && (
        <Panel>
          <Facts facts={parts.headers.map(({ name, value }) => ({ name, value }))} />
        </Panel>
      )}
      {view === 'parts' && <PartsView id={id} parts={parts.parts} />}
      {view === 'raw' && <RawView id={id} />}
    </Stack>
  );
}

/** The first part of this type that is no attachment. */
function bodyOf({ parts }: MessageParts, type: string): MessagePart | undefined {
  return parts.find((part) => part.media_type === type && part.disposition !== 'attachment');
}

interface HtmlProps {
  readonly id: string;
  readonly parts: MessageParts;
  /** Of the view; stands with the frame's own controls. */
  readonly choice: ReactNode;
}

function HtmlView({ id, parts, choice }: HtmlProps) {
  const words = useWords(messageWords);
  const api = useApi();
  const [width, setWidth] = useState<'full' | 'phone'>('full');
  const [images, setImages] = useState(false);
  const address = api.address(`/messages/${id}/preview`, { part: 'html', images: images ? 1 : 0 });
  return (
    <Stack>
      <div className={classes['bar']}>
        {choice}
        <SelectField
          label={words.width}
          value={width}
          choices={[
            { value: 'full', label: words.widths.full },
            { value: 'phone', label: words.widths.phone },
          ]}
          onChange={setWidth}
        />
        {parts.remote.length > 0 && !images && (
          <Button icon={Image} onClick={() => setImages(true)}>
            {words.images}
          </Button>
        )}
      </div>
      {parts.remote.length > 0 && !images && <Notice>{words.imagesWarning}</Notice>}
      {/* Its answer carries a policy of its own: the attribute alone would not keep it from loading. */}
      <iframe
        key={address}
        sandbox=""
        src={address}
        title={words.previewName}
        className={`${classes['frame']} ${width === 'phone' ? classes['phone'] : ''}`}
      />
      {parts.links.length > 0 && (
        <Panel title={words.links}>
          <ul className={classes['links']}>
            {parts.links.map(({ url, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: links never change places
              <li key={index}>
                {text}
                {' → '}
                <code>
                  <Foreign text={url} />
                </code>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {parts.remote.length > 0 && (
        <Panel title={words.remote}>
          <ul className={classes['links']}>
            {parts.remote.map(({ url }) => (
              <li key={url}>
                <code>
                  <Foreign text={url} />
                </code>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Stack>
  );
}

function TextView({ path, label }: { path: string; label: string }) {
  const words = useWords(messageWords);
  const mail = useWords(mailWords);
  const api = useApi();
  const format = useFormat();
  return (
    <Loaded query={useQuery(textQuery(api, path, SHOWN_BYTES))}>
      {({ text, guessed, cut }) => (
        <Stack>
          {guessed && <Notice tone="waiting">{mail.guessedCharset}</Notice>}
          {cut && <Notice>{words.rawCut(format.bytes(SHOWN_BYTES))}</Notice>}
          <CodeBlock label={label} text={text} />
        </Stack>
      )}
    </Loaded>
  );
}

function RawView({ id }: { id: string }) {
  const words = useWords(messageWords);
  const api = useApi();
  const path = `/messages/${id}/raw`;
  async function save() {
    download(`${id}.eml`, await api.bytes(path));
  }
  return (
    <Stack>
      <div>
        <Button icon={Download} onClick={() => void save()}>
          {words.downloadRaw}
        </Button>
      </div>
      <TextView path={path} label={words.views.raw} />
    </Stack>
  );
}

function PartsView({ id, parts }: { id: string; parts: readonly MessagePart[] }) {
  const words = useWords(messageWords);
  const api = useApi();
  const format = useFormat();
  const nameOf = ({ filename, index }: MessagePart) => filename ?? words.unnamed(index);
  async function save(part: MessagePart) {
    download(nameOf(part), await api.bytes(`/messages/${id}/parts/${part.index}`));
  }
  const columns: Column<MessagePart>[] = [
    { id: 'name', head: words.partName, cell: nameOf },
    { id: 'type', head: words.partType, cell: ({ media_type: type }) => <code>{type}</code> },
    { id: 'size', head: words.partSize, end: true, cell: ({ size_bytes: size }) => format.bytes(size) },
    { id: 'hash', head: words.partHash, cell: ({ sha256 }) => <Hash value={sha256} what={words.partHash} /> },
    {
      id: 'save',
      head: words.partActions,
      end: true,
      cell: (part) => (
        <Button
          kind="icon"
          icon={Download}
          label={words.download(nameOf(part))}
          onClick={() => void save(part)}
        />
      ),
    },
  ];
  return (
    <Table label={words.views.parts} columns={columns} rows={parts} rowKey={({ index }) => String(index)} />
  );
}
