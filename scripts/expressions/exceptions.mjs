// Expressions that are not linear, or that cannot be judged, each with what bounds its input. `expression`:
// as the check prints it; `maxChars`: the most that is ever put to it; `bound`: what sees to that, or why the
// judgement is not needed.

/**
 * Files whose expressions read nothing but short texts: side by side, their bounded repetitions (`.{0,40}`)
 * may multiply.
 */
export const SHORT_TEXTS = [
  {
    paths: [
      'packages/mail/src/reply/recipient-rules.ts',
      'packages/mail/src/reply/sender-rules.ts',
      'packages/mail/src/reply/provider-codes.ts',
    ],
    maxChars: 4_000,
    bound: 'plainText cuts what the rules are matched against to MAX_TEXT_CHARS',
  },
];

export const EXCEPTIONS = [
  {
    path: 'packages/mail/src/reply/text.ts',
    expression: "/[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,128}@[a-z0-9.-]{1,253}/g",
    maxChars: 4_000,
    bound: 'plainText cuts the text to MAX_TEXT_CHARS first',
  },
  ...['mail from', 'rcpt to', '(?:data\\b|\\.)'].map((command) => ({
    path: 'packages/mail/src/report/bounce-text.ts',
    expression: `/(?:-->|sent:|sent (?:<<<|>>>)) ?${command}[^\\n]{0,400}\\n[^\\n]{0,80}(?:<--|replied:|received (?:<<<|>>>)) ?[45]\\d\\d/i`,
    maxChars: 65_536,
    bound: 'humanText gives MAX_TEXT_CHARS at most, and the repetitions end at 400 and 80',
  })),
];
