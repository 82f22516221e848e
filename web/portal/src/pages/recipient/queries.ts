import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { Message, MessagePage, SuppressionPage } from '../../../../shared/api/portal-types.ts';
import { daysAgo } from '../../../../shared/format/clock.ts';
import { folded } from '../../../../shared/format/folded.ts';
import { addressIn } from '../../shell/find.ts';

/** Newest messages of the address (messages). */
const SHOWN_ROWS = 20;
/** How a domain does is told by so many of its newest messages, and no older ones. */
const DOMAIN_ROWS = 100;
const DOMAIN_DAYS = 7;
/** Messages in which people are looked for (messages), and people of them that are shown. */
const PART_ROWS = 100;
const PEOPLE_MAX = 10;
/** The API's limit. */
const PART_MAX_CHARS = 200;
/** While the page is visible (ms). */
const LOOK_EVERY_MS = 15_000;

export function isAddress(text: string): boolean {
  return /^\S+@\S+$/.test(text);
}

export const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1);

export function toAddressQuery(api: ApiClient, address: string) {
  return queryOptions({
    queryKey: ['messages', 'to', address],
    queryFn: ({ signal }) =>
      api.call<MessagePage>('GET', '/messages', { query: { to: address, limit: SHOWN_ROWS }, signal }),
    enabled: isAddress(address),
    refetchInterval: LOOK_EVERY_MS,
  });
}

/** Messages to whom the text names in part, to choose from. */
export function toPartQuery(api: ApiClient, part: string) {
  return queryOptions({
    queryKey: ['messages', 'part', part],
    queryFn: ({ signal }) =>
      api.call<MessagePage>('GET', '/messages', {
        query: { q: part.slice(0, PART_MAX_CHARS), limit: PART_ROWS },
        signal,
      }),
  });
}

/** Address and recipient of each, once: first those that have the text in them, then those of subjects. */
export function peopleOf(messages: readonly Pick<Message, 'to'>[], part: string): [string, string][] {
  const wanted = folded(part);
  const people = new Map<string, [string, string]>();
  for (const { to } of messages) {
    const address = addressIn(to);
    if (address !== null && !people.has(folded(address))) people.set(folded(address), [address, to]);
  }
  const isNamed = ([, to]: [string, string]) => folded(to).includes(wanted);
  const all = [...people.values()];
  return [...all.filter(isNamed), ...all.filter((each) => !isNamed(each))].slice(0, PEOPLE_MAX);
}

export function suppressionQuery(api: ApiClient, address: string) {
  return queryOptions({
    queryKey: ['suppressions', 'of', address],
    queryFn: ({ signal }) =>
      api.call<SuppressionPage>('GET', '/suppressions', { query: { address, limit: 1 }, signal }),
    enabled: isAddress(address),
    retry: false,
  });
}

export function domainQuery(api: ApiClient, domain: string) {
  return queryOptions({
    queryKey: ['messages', 'domain', domain],
    queryFn: ({ signal }) =>
      api.call<MessagePage>('GET', '/messages', {
        query: {
          to: domain,
          q: domain.slice(0, PART_MAX_CHARS),
          created_after: daysAgo(DOMAIN_DAYS - 1),
          limit: DOMAIN_ROWS,
        },
        signal,
      }),
    enabled: domain !== '',
  });
}
