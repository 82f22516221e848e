import { describe, expect, test } from 'vitest';
import { type Outcome, outcomeOf } from '../shared/mail/outcome-line.tsx';

const ACCEPTED = { code: 250, enhanced: '2.0.0', text: 'OK queued as 4f', mx: 'mx.example.net' };
const LATER = { code: 451, enhanced: '4.7.1', text: 'Try again later', mx: 'mx.example.net' };
const REFUSED = { code: 550, enhanced: '5.1.1', text: 'No such user', mx: 'mx.example.net' };

const message = (fields: object): Outcome =>
  ({ status: 'sent', last_reply: null, bounce: null, acknowledgement: null, ...fields }) as Outcome;
const bounced = (type: string, fields: object) =>
  message({ status: 'bounced', bounce: { type, reason: null, source: 'reply' }, ...fields });
const asked = (status: string) =>
  message({ last_reply: ACCEPTED, acknowledgement: { status, source: null, at: null, until: '' } });

describe('beside a status stands', () => {
  test('the answer that decided it', () => {
    expect(outcomeOf(message({ status: 'deferred', last_reply: LATER }))).toEqual({
      said: null,
      reply: '451 4.7.1 Try again later',
    });
    expect(outcomeOf(bounced('hard', { last_reply: REFUSED }))).toEqual({
      said: null,
      reply: '550 5.1.1 No such user',
    });
  });

  test('nothing where the status says it all', () => {
    expect(outcomeOf(message({ last_reply: ACCEPTED }))).toEqual({ said: null, reply: null });
    expect(outcomeOf(message({ status: 'queued' }))).toEqual({ said: null, reply: null });
    expect(outcomeOf(message({ status: 'cancelled' }))).toEqual({ said: null, reply: null });
  });

  test('no acceptance, when it was complained about or returned afterwards', () => {
    const complained = message({ status: 'complained', last_reply: ACCEPTED, reported_by_mail: {} });
    expect(outcomeOf(complained)).toEqual({ said: 'complained', reply: null });
    expect(outcomeOf(complained, true)).toEqual({ said: 'complained', reply: null });
    const returned = (last: object) => bounced('hard', { last_reply: last, reported_by_mail: {} });
    expect(outcomeOf(returned({ ...REFUSED, mx: null }))).toEqual({
      said: 'returned',
      reply: '550 5.1.1 No such user',
    });
    // A report without an answer leaves that of the delivery.
    expect(outcomeOf(returned(ACCEPTED), true)).toEqual({ said: 'returned', reply: null });
  });

  test('a refusal for now as the last answer only, when something else ended it', () => {
    expect(outcomeOf(bounced('expired', { last_reply: LATER }))).toMatchObject({ said: 'expired' });
    expect(outcomeOf(message({ status: 'cancelled', last_reply: LATER }))).toMatchObject({
      said: 'lastReply',
    });
    expect(outcomeOf(bounced('suppressed', { last_reply: LATER }))).toEqual({
      said: 'suppressed',
      reply: null,
    });
  });

  test.each(['requested', 'acknowledged', 'refused', 'unanswered'])(
    'an acknowledgement that is %s',
    (state) => {
      expect(outcomeOf(asked(state))).toEqual({ said: state, reply: null });
    },
  );

  test('the acceptance of a delivery, where all of it is asked for', () => {
    expect(outcomeOf(message({ last_reply: ACCEPTED }), true)).toEqual({
      said: null,
      reply: '250 2.0.0 OK queued as 4f',
    });
  });
});
