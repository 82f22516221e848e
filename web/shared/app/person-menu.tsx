import { LogOut, UserRound } from 'lucide-react';
import { Menu, type MenuGroup } from '../ui/menu.tsx';
import { useWords } from '../words/use-words.ts';
import { LANGUAGES, type Language } from '../words/words.ts';
import { useApi } from './api-context.tsx';
import { type Theme, usePreferences } from './preferences.tsx';
import { shellWords } from './shell-words.ts';

interface PersonMenuProps {
  readonly name: string;
  readonly own: readonly MenuGroup[];
  readonly ownPath: string;
  readonly onKeys: () => void;
}

export function PersonMenu({ name, own, ownPath, onKeys }: PersonMenuProps) {
  const words = useWords(shellWords);
  const api = useApi();
  const preferences = usePreferences();
  const themes: readonly Theme[] = ['system', 'light', 'dark'];
  async function signOut() {
    await api.call('DELETE', '/session', { unchallenged: true });
    location.reload();
  }
  const groups: MenuGroup[] = [
    ...own,
    { title: words.language, items: LANGUAGES.map((language) => languageItem(language)) },
    { title: words.theme, items: themes.map((theme) => themeItem(theme)) },
    {
      items: [
        { label: words.help, onSelect: onKeys },
        { label: words.signOut, icon: LogOut, onSelect: () => void signOut() },
      ],
    },
  ];
  function languageItem(language: (typeof LANGUAGES)[number]) {
    return {
      label: words.languages[language],
      checked: preferences.language === language,
      onSelect: () => choose(language),
    };
  }
  /** Here at once; elsewhere from the next visit on. */
  function choose(language: Language) {
    preferences.change({ language });
    // Nobody is asked for a password for this.
    void api.call('PATCH', ownPath, { body: { locale: language }, unchallenged: true }).catch(() => {});
  }
  function themeItem(theme: Theme) {
    return {
      label: words.themes[theme],
      checked: preferences.theme === theme,
      onSelect: () => preferences.change({ theme }),
    };
  }
  return <Menu kind="icon" icon={UserRound} label={`${words.you}: ${name}`} groups={groups} />;
}
