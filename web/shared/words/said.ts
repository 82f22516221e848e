import { ACCOUNT, LIMITS } from './said/account-words.ts';
import { APPROVALS } from './said/approvals-words.ts';
import { ATTENTION } from './said/attention-words.ts';
import { CONNECTIONS } from './said/connections-words.ts';
import { ADDRESSES, FORM, SAID_BY_THE_CODE } from './said/forms-words.ts';
import { GRANTS } from './said/grants-words.ts';
import { MESSAGES, WAITING } from './said/messages-words.ts';
import { PEOPLE } from './said/people-words.ts';
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
  ...GRANTS,
  ...APPROVALS,
  ...FORM,
  ...ATTENTION,
  ...CONNECTIONS,
];
