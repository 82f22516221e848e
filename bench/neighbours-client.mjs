// One request over node:http: its status, and the text of an answer that is not large.
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';

export function call(agent, { url, key, method = 'POST', body, type = 'application/json' }) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    if (body !== undefined) {
      headers['idempotency-key'] = randomUUID();
      headers['content-type'] = type;
      headers['content-length'] = body.length;
    }
    const sent = request(url, { method, agent, headers }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.length < 64 && chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
