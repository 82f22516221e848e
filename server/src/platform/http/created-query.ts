import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { FIRST_ID, firstIdAt, LAST_ID } from '../ids.ts';

/**
 * Time filters of lists: `created_after` (inclusive) and `created_before` (exclusive). Ids grow with time, so
 * that lists ordered by id read no other rows.
 */

const moment = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 40,
      description,
      examples: ['2026-11-20T09:30:00.000Z'],
    }),
  );

export const CREATED_QUERY = {
  created_after: moment('Entries made at this moment or later (RFC 3339).'),
  created_before: moment('Entries made before this moment (RFC 3339).'),
};

export interface CreatedRange {
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
}

export function readCreated(query: {
  created_after?: string | undefined;
  created_before?: string | undefined;
}): CreatedRange {
  return {
    createdAfter: readMoment('created_after', query.created_after),
    createdBefore: readMoment('created_before', query.created_before),
  };
}

/** RFC 3339 §5.6 */
const MOMENT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

export function readMoment(name: string, given: string | undefined): Date | null {
  if (given === undefined) return null;
  // An unescaped plus in a query is a space.
  const text = given.replace(' ', '+');
  const moment = new Date(text.toUpperCase());
  if (!MOMENT.test(text) || Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1970)
    throw apiError('invalid_parameter', `${name} must be a time such as 2026-11-20T09:30:00Z (RFC 3339).`);
  return moment;
}

/** Largest difference between an id's time and the recorded time (ms): clocks of processes. */
const ID_CLOCK_MS = 10 * 60 * 1_000;

/** Ids from `from` (inclusive) to `below`. Contains every row of the time range. */
export interface IdRange {
  readonly from: string;
  readonly below: string;
}

/** `afterId`: last id of the previous page, newest first. */
export function idRange({ createdAfter, createdBefore }: CreatedRange, afterId: string | null): IdRange {
  const newest = createdBefore === null ? LAST_ID : firstIdAt(later(createdBefore, ID_CLOCK_MS));
  return {
    from: createdAfter === null ? FIRST_ID : firstIdAt(later(createdAfter, -ID_CLOCK_MS)),
    below: afterId === null || newest < afterId ? newest : afterId,
  };
}

function later(moment: Date, ms: number): Date {
  return new Date(Math.max(0, moment.getTime() + ms));
}
