import { ACCOUNT, LIMITS } from './said/account.ts';
import { ATTENTION } from './said/attention.ts';
import { ADDRESSES, FORM, SAID_BY_THE_CODE } from './said/forms.ts';
import { MESSAGES, WAITING } from './said/messages.ts';
import { PEOPLE } from './said/people.ts';
import type { Row } from './said/row.ts';

/** web/test/said.unit.test.ts holds the server's refusals to them. */
export const SAID: readonly Row[] = [
  ...SAID_BY_THE_CODE,
  ...MESSAGES,
  ...WAITING,
  ...ACCOUNT,
  ...LIMITS,
  ...ADDRESSES,
  ...PEOPLE,
  ...FORM,
  ...ATTENTION,
];
