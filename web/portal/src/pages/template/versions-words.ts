import type { Translated, Words } from '../../../../shared/words/words.ts';

/** Texts of the versions. */
const english = {
  list: 'Versions',
  versionNamed: (version: string) => `Version ${version}`,
  current: 'Current',
  comparedWith: 'Compared with',
  previous: 'The version before it',
  versionsLead: 'Every change of content is a version. A message keeps the one that it was sent with.',
  first: 'This is the first version: there is none before it to compare it with.',
  same: 'Both versions say the same.',
  restore: 'Restore this version',
  isCurrent: 'it is the current version.',
  hasUnsaved: 'save or discard what you changed in the editor first.',
  restoreTitle: (version: string) => `Restore version ${version}?`,
  restoreText: (version: string, next: string) =>
    `The content of version ${version} becomes version ${next}. Nothing is lost: the versions between stay.`,
  restored: (version: string, next: string) => `Version ${version} was restored as version ${next}.`,
  changedIn: (part: string, language: string) => `${part} · ${language}`,
  partNames: { subject: 'Subject', html: 'HTML', text: 'Plain text' },
};

const spanish: Translated<typeof english> = {
  list: 'Versiones',
  versionNamed: (version: string) => `Versión ${version}`,
  current: 'Actual',
  comparedWith: 'Comparada con',
  previous: 'La versión anterior a ella',
  versionsLead: 'Cada cambio de contenido es una versión. Un mensaje conserva aquella con la que se envió.',
  first: 'Esta es la primera versión: no hay una anterior con la cual compararla.',
  same: 'Ambas versiones dicen lo mismo.',
  restore: 'Restaurar esta versión',
  isCurrent: 'es la versión actual.',
  hasUnsaved: 'guarde o descarte primero lo que cambió en el editor.',
  restoreTitle: (version: string) => `¿Restaurar la versión ${version}?`,
  restoreText: (version: string, next: string) =>
    `Lo que decía la versión ${version} será la versión ${next}. Nada se pierde: las versiones intermedias quedan.`,
  restored: (version: string, next: string) => `La versión ${version} se restauró como versión ${next}.`,
  changedIn: (part: string, language: string) => `${part} · ${language}`,
  partNames: { subject: 'Asunto', html: 'HTML', text: 'Texto' },
};

export const versionsWords: Words<typeof english> = { en: english, es: spanish };
