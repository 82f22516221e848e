import { Mail } from 'lucide-react';
import type { ApiCall } from '../../../../shared/api/calls.ts';
import { toCurl } from '../../../../shared/api/curl.ts';
import type { Template } from '../../../../shared/api/portal-types.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { searchText } from '../../../../shared/routing/search.ts';
import { ButtonLink } from '../../../../shared/ui/button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { CodeBlock, Stack } from '../../../../shared/ui/layout.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { CodeFormField, useCodeForm } from '../../parts/code-form-field.tsx';
import { beginning } from '../../parts/code-forms.ts';
import { useContentName } from './content-name.ts';
import { draftOf, OWN, tagsOf } from './draft.ts';
import type { Search } from './search.ts';
import type { TestData } from './test-data.ts';
import classes from './use.module.css';
import { useTemplateWords } from './use-words.ts';

interface UseProps {
  readonly template: Template;
  readonly data: TestData;
  readonly search: Search;
  readonly setSearch: PageProps<Search>['setSearch'];
}

/** How programs send with it. */
export default function Use({ template, data, search, setSearch }: UseProps) {
  const words = useWords(useTemplateWords);
  const nameOf = useContentName();
  const tags = [OWN, ...tagsOf(draftOf(template))];
  const locale = tags.includes(search.language) ? search.language : OWN;
  const { variables } = data;
  const named = locale === OWN ? {} : { locale };
  const [form, setForm] = useCodeForm();
  const written = (call: ApiCall) => form.write(location.origin, call) ?? toCurl(location.origin, call);
  const send = written({
    key: 'order-1001',
    method: 'POST',
    path: '/messages',
    body: {
      from: 'billing@example.com',
      to: 'ana@example.net',
      template: template.name,
      ...named,
      variables,
    },
  });
  const render = written({
    method: 'POST',
    path: `/templates/${template.id}/render`,
    body: { ...named, variables },
  });
  return (
    <Stack>
      <div className={classes['head']}>
        <p>{words.useLead}</p>
        {tags.length > 1 && (
          <SelectField
            label={words.useLanguage}
            value={locale}
            choices={tags.map((tag) => ({ value: tag, label: nameOf(tag) }))}
            onChange={(language) => setSearch({ language }, { replace: true })}
          />
        )}
      </div>
      <CodeFormField form={form} onChange={setForm} />
      <CodeBlock label={words.useSend} text={send} />
      <CodeBlock label={words.useCommand} text={commandOf(template.name, locale)} />
      <CodeBlock label={words.useRender} text={render} />
      {beginning(location.origin, form).map(({ title, code }) => (
        <CodeBlock key={title} label={title} text={code} />
      ))}
      <div>
        <ButtonLink to={`/messages${searchText({ q: `template:${template.id}`, days: 'all' })}`} icon={Mail}>
          {words.messages}
        </ButtonLink>
      </div>
    </Stack>
  );
}

/** Its data come from a file: shells have quotes of their own. */
function commandOf(name: string, locale: string): string {
  const quoted = `'${name.replaceAll("'", `'\\''`)}'`;
  const lines = [
    'acuse messages send --from billing@example.com --to ana@example.net',
    `--template ${quoted} --variables data.json${locale === OWN ? '' : ` --locale ${locale}`}`,
  ];
  return lines.join(' \\\n  ');
}
