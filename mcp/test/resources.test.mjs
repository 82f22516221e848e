// The text of resources that cannot be read: one line of our own text.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { fakeService } from './fake.mjs';
import { ERAS, inProcess } from './support.mjs';

const UNKNOWN = '0197b1a0-0000-7000-8000-00000000000f';
/** Invalid params: what the protocol says of a resource that is not there. */
const NOT_FOUND = -32_602;

async function read(opened, uri) {
  try {
    await opened.client.readResource({ uri });
  } catch (error) {
    return error;
  }
  return assert.fail(`${uri} could be read`);
}

function assertPlain({ message }, code) {
  assert.ok(message.startsWith(`${code}: `) || message.includes(`: ${code}: `), message);
  assert.doesNotMatch(message, /[\n{}<>]|fetch|ECONN|evil|undefined|\.[jt]s\b/);
}

/** A service whose documents are what `answer` writes. */
async function documents(answer) {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

for (const era of ERAS)
  describe(`${era}: resources`, () => {
    const open = (url) =>
      inProcess({
        era,
        variables: { ACUSE_URL: url, ACUSE_MCP_RECIPIENTS: '*' },
        apiKey: 'acuse_a_b',
        acuse: fakeService().acuse,
      });

    it('that are not there say so', async () => {
      const opened = await open('http://127.0.0.1:1');
      for (const path of ['', '/evidence', '/proof-bundle'])
        for (const id of [UNKNOWN, 'x', '..%2f..%2faccount', '%00']) {
          const error = await read(opened, `acuse://messages/${id}${path}`);
          assertPlain(error, 'not_found');
          assert.match(error.message, /not_found: acuse:\/\/messages\//);
          assert.equal(error.code, NOT_FOUND);
        }
      await opened.close();
    });

    it('that the service does not give say so, and nothing more', async () => {
      for (const answer of [
        (response) => response.writeHead(503).end('<h1>evil</h1>'),
        (response) => response.writeHead(302, { location: 'http://evil.test/' }).end(),
        (response) => response.end(Buffer.alloc(4 * 2 ** 20 + 1, 0x78)),
        (response) =>
          response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy()),
        (response) => response.destroy(),
      ]) {
        const service = await documents(answer);
        const opened = await open(service.url);
        for (const uri of ['acuse://llms', 'acuse://openapi', 'acuse://errors/unauthorized'])
          assertPlain(await read(opened, uri), 'unavailable');
        await opened.close();
        service.close();
      }
    });

    it('of codes give one line of the document', async () => {
      const service = await documents((response) => response.end('- 401 unauthorized: The key.\n- 1 b: c\n'));
      const opened = await open(service.url);
      const { contents } = await opened.client.readResource({ uri: 'acuse://errors/unauthorized' });
      assert.equal(contents[0].text, '401 unauthorized: The key.');
      assertPlain(await read(opened, 'acuse://errors/nothing'), 'not_found');
      await opened.close();
      service.close();
    });
  });
