import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Template } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { keepAnswer } from '../../../../shared/app/keep-answer.ts';
import { useSubmission } from '../../../../shared/ui/refusal.tsx';
import { type Content, type Draft, draftOf, isSame, NEW_DRAFT, toChange, toNew } from './draft.ts';
import { type Located, locate } from './problem.ts';
import { templateQuery } from './queries.ts';

/** A template while somebody edits it, and what saving it came to. */
export interface Editing {
  readonly draft: Draft;
  /** Null: new. */
  readonly base: Template | null;
  readonly unsaved: boolean;
  /** Saved by somebody else since; null: nothing was. */
  readonly newer: Template | null;
  readonly busy: boolean;
  /** Why the draft as it is now was refused. */
  readonly refused: { readonly error: unknown; readonly located: Located | null } | null;
  setName(name: string): void;
  setContent(tag: string, change: Partial<Content>): void;
  addLanguage(tag: string, content: Content): void;
  removeLanguage(tag: string): void;
  /** Shows this in place of the draft. */
  take(template: Template): void;
  /** True if leaving now loses nothing. */
  isKept(): boolean;
  /** Discards what is unsaved. */
  finish(): void;
  save(onSaved: (saved: Template, before: Template | null) => void): void;
}

export function useEditing(template: Template | null): Editing {
  const api = useApi();
  const queryClient = useQueryClient();
  const [base, setBase] = useState(template);
  const [draft, setDraft] = useState(template === null ? NEW_DRAFT : draftOf(template));
  const [submitted, setSubmitted] = useState<Draft | null>(null);
  const finished = useRef(false);
  const { busy, error, run } = useSubmission();
  const unsaved = !isSame(draft, base === null ? NEW_DRAFT : draftOf(base));
  const isNewer = template !== null && template.updated_at !== base?.updated_at;
  const take = (next: Template) => {
    setBase(next);
    setDraft(draftOf(next));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: taken where nothing is lost by it
  useEffect(() => {
    if (template !== null && isNewer && !unsaved && !busy) take(template);
  }, [template, busy]);
  const setContents = (contents: Draft['contents']) => setDraft({ ...draft, contents });

  function save(onSaved: (saved: Template, before: Template | null) => void): void {
    setSubmitted(draft);
    run(async () => {
      const saved =
        template === null
          ? await api.call<Template>('POST', '/templates', { body: toNew(draft) })
          : await api.call<Template>('PATCH', `/templates/${template.id}`, {
              body: toChange(draft, template),
            });
      setBase(saved);
      // Text typed meanwhile stays.
      setDraft((now) => (now === draft ? draftOf(saved) : now));
      keepAnswer(queryClient, templateQuery(api, saved.id).queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ['templates', 'list'] });
      onSaved(saved, template);
    });
  }

  return {
    draft,
    base,
    unsaved,
    newer: unsaved && isNewer && !busy ? template : null,
    busy,
    refused: error !== null && submitted === draft ? { error, located: locate(error) } : null,
    setName: (name) => setDraft({ ...draft, name }),
    setContent: (tag, change) =>
      setContents({ ...draft.contents, [tag]: { ...draft.contents[tag]!, ...change } }),
    addLanguage: (tag, content) => setContents({ ...draft.contents, [tag]: content }),
    removeLanguage: (tag) =>
      setContents(Object.fromEntries(Object.entries(draft.contents).filter(([each]) => each !== tag))),
    take,
    isKept: () => finished.current || !unsaved,
    finish: () => {
      finished.current = true;
    },
    save,
  };
}
