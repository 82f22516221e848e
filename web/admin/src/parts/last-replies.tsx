import type { ReplyCount } from '../../../shared/api/admin-types.ts';
import { useFormat } from '../../../shared/format/format.ts';
import { Foreign } from '../../../shared/ui/foreign.tsx';
import { Section } from '../../../shared/ui/section.tsx';
import { type Column, Table } from '../../../shared/ui/table.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import type { Translated, Words } from '../../../shared/words/words.ts';
import classes from './last-replies.module.css';

const english = {
  title: 'Last replies',
  hint: 'Last replies of servers, from a sample of the waiting messages.',
  reply: 'Reply',
  messages: 'Messages',
};

const spanish: Translated<typeof english> = {
  title: 'Últimas respuestas',
  hint: 'Últimas respuestas de los servidores, en una muestra de los mensajes en espera.',
  reply: 'Respuesta',
  messages: 'Mensajes',
};

const replyWords: Words<typeof english> = { en: english, es: spanish };

/** What servers answered to messages that wait, word for word; nothing where none answered. */
export default function LastReplies({ replies }: { replies: readonly ReplyCount[] }) {
  const words = useWords(replyWords);
  const format = useFormat();
  if (replies.length === 0) return null;
  const columns: readonly Column<ReplyCount>[] = [
    {
      id: 'reply',
      head: words.reply,
      main: true,
      cell: ({ code, text }) => (
        <code lang="en" className={classes['reply']}>
          <Foreign text={code === null ? text : `${code} ${text}`} />
        </code>
      ),
    },
    { id: 'count', head: words.messages, end: true, cell: ({ count }) => format.number(count) },
  ];
  return (
    <Section title={words.title} hint={words.hint}>
      <Table
        label={words.title}
        columns={columns}
        rows={replies}
        rowKey={({ code, text }) => `${code} ${text}`}
      />
    </Section>
  );
}
