import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { issueCertificate } from '@acuse/testkit/certificate';
import { freePort } from '@acuse/testkit/free-port';
import { afterEach, describe, expect, test } from 'vitest';
import { runDialogue } from '../../src/cli/setup/dialogue.ts';
import { lookAt } from '../../src/cli/setup/probes.ts';
import { QUESTIONS } from '../../src/cli/setup/questions.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  open.push(server.listen(0));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const deps = { dnsServers: [], bouncePort: 0, secretOf: () => undefined, now: () => new Date() };
const lookAtDirectory = (url: string) => lookAt('acme_directory', url, {}, deps);

describe('the directory of an ACME authority', () => {
  const answering = (status: number, body: string) =>
    portOf(
      createHttp(({ headers }, response) =>
        response.writeHead(headers['user-agent'] === undefined ? 400 : status).end(body),
      ),
    );

  test('tells its terms of service before they are asked about', async () => {
    const meta = { termsOfService: 'https://ca.example/terms.pdf' };
    const port = await answering(200, JSON.stringify({ newOrder: 'https://ca.example/order', meta }));
    expect(await lookAtDirectory(`http://127.0.0.1:${port}/dir`)).toEqual({
      notes: ['its terms of service: https://ca.example/terms.pdf'],
    });
    const ids = QUESTIONS.map(({ id }) => id);
    expect(ids[ids.indexOf('acme_directory') + 1]).toBe('acme_terms');
  });

  test('that nobody answers for is refused with the cause', async () => {
    const { problem } = await lookAtDirectory(`https://127.0.0.1:${await freePort()}/dir`);
    expect(problem).toMatch(/^no answer from https:.*ECONNREFUSED/);
  });

  test('whose root is not trusted is refused with the way to trust it', async () => {
    const { certPem: cert, keyPem: key } = issueCertificate({ subject: 'acme', names: ['127.0.0.1'] });
    const port = await portOf(createHttps({ cert, key }));
    const { problem } = await lookAtDirectory(`https://127.0.0.1:${port}/dir`);
    expect(problem).toMatch(/its certificate is not trusted .*NODE_EXTRA_CA_CERTS.*for the service too/);
  });

  test.each([
    [404, 'nothing'],
    [200, '<html>'],
    [200, 'null'],
    [200, '{"keys":1}'],
  ])('is not what answers with %i %s', async (status, body) => {
    const { problem } = await lookAtDirectory(`http://127.0.0.1:${await answering(status, body)}/`);
    expect(problem).toMatch(/answers with HTTP \d+, and not as the directory/);
  });
});

test('a port in use is a fault of its variable, not of the answer', async () => {
  const bouncePort = await portOf(createServer());
  const { problems } = await runDialogue(
    QUESTIONS.filter(({ id }) => id === 'delivery'),
    {
      ...{
        standing: {},
        fixed: {},
        found: { hostname: null, addresses: [] },
        again: false,
        review: async () => null,
      },
      ask: async () => 'direct',
      look: (id, value, known) => lookAt(id, value, known, { ...deps, bouncePort }),
      say: () => {},
    },
  );
  expect(problems).toEqual([
    expect.stringMatching(/^ACUSE_RETURN_PATH_PORT: cannot listen on .* port \d+: the port is in use/),
  ]);
  expect(problems[0]).not.toContain('--ports');
  expect(problems[0]).toContain('ACUSE_RETURN_PATH_HOST to an address that it leaves free');
});

test('a port that another program has at another address is free at the one that is set', async () => {
  const holder = createServer().listen(0, '127.0.0.2');
  open.push(holder);
  await once(holder, 'listening');
  const { port: bouncePort } = holder.address() as AddressInfo;
  const look = (bounceHost?: string) => lookAt('delivery', 'direct', {}, { ...deps, bouncePort, bounceHost });
  expect((await look('127.0.0.1')).problem).toBeUndefined();
  expect((await look('127.0.0.2')).problem).toMatch(/in use by another program; .* to another port$/);
});

test.each(['127.0.0.1', '10.0.0.5', '::1', 'fd00::5'])('%s is no address that receivers see', async (one) => {
  const { notes } = await lookAt('address', one, { hostname: 'mail.example.com' }, deps);
  expect(notes).toEqual([expect.stringMatching(/is not a public address: receivers will not see it/)]);
});
