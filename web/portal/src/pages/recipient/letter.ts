import { shownText } from '../../../../shared/format/foreign-text.ts';
import type { Format } from '../../../../shared/format/format.ts';
import { bounceWords } from '../../../../shared/mail/bounce-words.ts';
import type { Language } from '../../../../shared/words/words.ts';
import { letterWords } from './letter-words.ts';
import type { Verdict } from './verdict.ts';

interface Facts {
  readonly address: string;
  readonly verdict: Verdict;
  readonly language: Language;
  /** Of that language. */
  readonly format: Format;
}

/** A letter in plain language, to be sent another way or read out on the telephone. */
export function letterOf({ address, verdict, language, format }: Facts): string {
  const words = letterWords[language];
  const message = 'message' in verdict ? verdict.message : null;
  const name = message === null ? '' : nameIn(message.to);
  const about =
    message === null
      ? []
      : [words.about(shownText(message.subject, words.noSubject), format.date(message.created_at))];
  return [
    words.greeting(name),
    ...about,
    ...paragraphs({ address, verdict, language, format }),
    words.close,
  ].join('\n\n');
}

function paragraphs({ address, verdict, language, format }: Facts): string[] {
  const words = letterWords[language];
  switch (verdict.kind) {
    case 'nothing':
      return [words.nothing(address)];
    case 'suppressed':
      return [words.suppressed[verdict.entry.source](address, format.date(verdict.entry.created_at))];
    case 'delivered': {
      const { sent_at: at, from, last_reply: reply } = verdict.message;
      const server = reply?.mx ?? null;
      return [
        words.delivered(address, format.dateTime(at ?? verdict.message.created_at), server),
        words.look(from),
      ];
    }
    case 'bounced': {
      const { bounce, from } = verdict.message;
      return [words.bounced(address, reasonIn(language, bounce)), words.can[verdict.cause](from)];
    }
    case 'waiting': {
      const { deferral } = verdict.message;
      const reason = deferral?.reason == null ? null : reasonIn(language, deferral);
      return [words.waiting(address, reason)];
    }
    default:
      return [words[verdict.kind](address)];
  }
}

function reasonIn(language: Language, said: { readonly reason: string | null } | null | undefined): string {
  const reasons: Readonly<Record<string, string>> = bounceWords[language].reasons;
  return reasons[said?.reason ?? 'unspecified'] ?? reasons['unspecified']!;
}

/** `Ana Ruiz <ana@example.com>`: Ana Ruiz. */
function nameIn(mailbox: string): string {
  const open = mailbox.lastIndexOf('<');
  return open > 0 ? shownText(mailbox.slice(0, open).trim().replace(/^"|"$/g, ''), '') : '';
}
