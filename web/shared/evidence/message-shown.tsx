import type { MessageFacts } from '@acuse/evidence/message-facts';
import { usePreferences } from '../app/preferences.tsx';
import { visible } from '../format/foreign-text.ts';
import { Facts } from '../ui/layout.tsx';
import { REPORT_WORDS } from './check-words.ts';
import { isWithheld } from './statements.ts';

export function MessageShown({ title, message }: { title: string; message: MessageFacts }) {
  const words = REPORT_WORDS[usePreferences().language];
  const { parts, ...fields } = message;
  const facts = Object.entries(words.messageNames).flatMap(([name, label]) => {
    const value = fields[name as keyof typeof fields];
    if (value === undefined) return [];
    const text = visible(value);
    return [{ name: label, value: isWithheld(value) ? `${text} (${words.withheld})` : text }];
  });
  const contents = parts.map(({ filename, media_type: type, size }) =>
    [
      filename === null ? words.partWithoutName : visible(filename),
      `${visible(type)}, ${words.bytes(size)}`,
    ].join(' · '),
  );
  return (
    <section aria-label={title}>
      <Facts
        facts={[
          ...facts,
          ...(contents.length === 0
            ? []
            : [
                {
                  name: words.parts,
                  value: contents.map((text, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: parts never change places
                    <div key={index}>{text}</div>
                  )),
                },
              ]),
        ]}
      />
    </section>
  );
}
