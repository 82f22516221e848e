import { expect, test } from 'vitest';
import { type BannerFacts, banner } from '../../src/app/banner.ts';

const facts: BannerFacts = {
  version: '1.0.0',
  baseUrl: 'https://mail.example.com',
  ownUrl: 'http://127.0.0.1:8033',
  roles: ['api', 'portal', 'delivery'],
  delivery: 'direct',
  database: 'PostgreSQL at DATABASE_URL',
  dataDir: '/var/lib/acuse',
  sandbox: null,
  admin: null,
  command: 'acuse',
  recovering: false,
  managed: false,
  authorities: ['PSC Uno'],
  ports: { submission: null, submissions: null, returnPath: null },
  warnings: [],
};

test('a process names what it serves itself: API, portal, or only its health', () => {
  expect(banner(facts)).toContain('API        https://mail.example.com/v1');
  const portal = banner({ ...facts, roles: ['portal'] });
  expect(portal).toContain('Portal     https://mail.example.com/portal');
  expect(portal).not.toMatch(/API|Reference|Verify/);
  const delivery = banner({ ...facts, roles: ['delivery'] });
  expect(delivery).toContain('Health     http://127.0.0.1:8033/readyz');
  expect(delivery).not.toMatch(/API|Reference|Verify|Portal/);
});

test('who started it by a service manager is not told of keys', () => {
  expect(banner(facts)).toContain('Stop with Ctrl-C.');
  expect(banner({ ...facts, managed: true })).not.toContain('Ctrl-C');
});

test('a process in recovery does not say that it is ready', () => {
  expect(banner(facts)).toContain('Acuse 1.0.0 is ready.');
  const recovering = banner({ ...facts, recovering: true });
  expect(recovering).toContain('Acuse 1.0.0 is in recovery');
  expect(recovering).not.toContain('ready');
});

test('an installation that sends names its ports, who seals, where its data is and what to look at next', () => {
  const ports = { submission: 587, submissions: 465, returnPath: 25 };
  const real = { ...facts, ports, roles: [...facts.roles, 'sealing'] };
  expect(banner(real)).toMatch(
    / {2}SMTP {7}port 587 \(STARTTLS\) and 465 \(TLS\), .*\n {2}Bounces {4}port 25 \(SMTP\)\n {2}Authority {2}PSC Uno\n {2}Data {7}\/var\/lib\/acuse\n\n {2}Next: acuse doctor, /,
  );
  expect(banner({ ...real, authorities: null })).toContain('Authority  the development authority');
  expect(banner(facts)).not.toMatch(/SMTP|Bounces|Authority/);
  expect(banner({ ...facts, recovering: true })).not.toContain('Next:');
});
