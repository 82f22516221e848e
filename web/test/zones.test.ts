import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHARE } from './pages.mjs';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The hour of the day at this moment in the zone, and the name of its time. */
function clockIn(timeZone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  }).format(at);
  return parts.replace(/^.*?(\d\d:\d\d)/, '$1');
}

/** The next time that clocks change there: the first full hour with the other name. */
function nextChange(timeZone: string): number {
  const name = (at: number) => clockIn(timeZone, at).slice('00:00 '.length);
  const start = Math.ceil((Date.now() + DAY_MS) / HOUR_MS) * HOUR_MS;
  for (let at = start; at < start + 366 * DAY_MS; at += HOUR_MS)
    if (name(at) !== name(at - HOUR_MS)) return at;
  throw new Error(`clocks never change in ${timeZone}`);
}

describe.skipIf(!hasBrowser)('the zone of a person (skipped: needs chromium)', () => {
  let portal: Portal;
  let message: string;
  /** Half past midnight tomorrow, UTC. */
  const night = Math.ceil(Date.now() / DAY_MS) * DAY_MS + HOUR_MS / 2;
  const change = nextChange('America/Tijuana');
  beforeAll(async () => {
    portal = await startPortal();
    message = await portal.send();
    const sealed = async () => (await portal.api('GET', `/v1/messages/${message}`)).body.sealed_at;
    await eventually(async () => (await sealed()) !== null);
    for (const at of [night, change - 1, change]) await share(at);
  });
  afterAll(() => portal?.stop());

  async function share(at: number): Promise<void> {
    const data = { ...SHARE, expires_at: new Date(at).toISOString(), note: `until ${at}` };
    await portal.ownerAsks('POST', `/messages/${message}/shares`, data);
  }

  /** Chosen by hand in You, and kept with the person, whatever the browser's zone is. */
  async function living(zone: string): Promise<Visitor> {
    const visitor = await portal.asOwner({ locale: 'es-MX', timezoneId: 'Asia/Tokyo' });
    await visitor.visit('/you');
    await visitor.page.getByLabel('Zona horaria').selectOption(zone);
    await visitor.page.getByRole('button', { name: 'Guardar perfil' }).click();
    await visitor.page.getByText('El perfil quedó guardado.').waitFor();
    return visitor;
  }

  const rowOf = ({ page }: Visitor, at: number) =>
    page.getByRole('listitem').filter({ hasText: `until ${at}` });

  test('times are those of Tijuana, before its clocks change and after', async () => {
    const visitor = await living('America/Tijuana');
    await visitor.visit(`/messages/${message}/evidence`);
    const [before, after] = [clockIn('America/Tijuana', change - 1), clockIn('America/Tijuana', change)];
    expect([before, after].map((each) => each.slice(-3)).sort()).toEqual(['PDT', 'PST']);
    await rowOf(visitor, change).waitFor();
    expect(await rowOf(visitor, change - 1).innerText()).toContain(before);
    expect(await rowOf(visitor, change).innerText()).toContain(after);
    await visitor.close();
  });

  test('half past midnight in UTC is the evening before in Mexico City; a day of Rates is one of UTC', async () => {
    const visitor = await living('America/Mexico_City');
    await visitor.visit(`/messages/${message}/evidence`);
    const evening = new Date(night - DAY_MS / 2).getUTCDate();
    await rowOf(visitor, night).waitFor();
    expect(await rowOf(visitor, night).innerText()).toMatch(
      new RegExp(`hasta el ${evening} \\p{L}{3,4} \\d{4}, 18:30 CST`, 'u'),
    );
    await visitor.visit('/rates');
    await visitor.page.getByText('un día empieza a las 18:00').waitFor();
    const today = new Date().toISOString().slice(0, 10);
    // The heading is there before the table.
    const days = visitor.page.locator('tbody th, tbody td:first-child');
    await expect
      .poll(async () => (await days.allInnerTexts()).map((day) => Number.parseInt(day, 10)))
      .toContain(Number(today.slice(-2)));
    await visitor.close();
  });
});
