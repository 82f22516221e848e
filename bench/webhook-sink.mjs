#!/usr/bin/env node
// A receiver of webhooks in a process of its own: answers 200 to every POST, over http and, with a key and a
// certificate (paths), over https. GET says how many requests and connections there were.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

const [keyPath, certificatePath] = process.argv.slice(2);
const seen = { requests: 0, connections: 0 };

function answer(request, response) {
  if (request.method === 'GET') {
    response.end(JSON.stringify(seen));
    return;
  }
  seen.requests++;
  request.resume().once('end', () => response.end());
}

async function listen(server) {
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => seen.connections++);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}

const plain = await listen(createServer(answer));
const secure = await listen(
  createSecureServer({ key: readFileSync(keyPath), cert: readFileSync(certificatePath) }, answer),
);
console.log(`sink ${plain} ${secure}`);
