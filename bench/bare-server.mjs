#!/usr/bin/env node
// The yardstick of the service: the same Fastify, the same body parsed, an answer of the same size,
// and nothing else: no key checked, nothing validated, composed, hashed, signed or stored. Prints its URL as
// one line.
import Fastify from 'fastify';

const answer = JSON.parse(process.argv[2]);
const app = Fastify();
app.post('/v1/messages', (request, reply) => {
  reply
    .code(201)
    .send({ ...answer, from: request.body.from, to: request.body.to, subject: request.body.subject });
});
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
