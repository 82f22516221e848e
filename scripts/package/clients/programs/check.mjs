import { readFileSync } from 'node:fs';
import { verifyWebhook } from '@acuse/client';
import { TRUST_BUNDLE, verifyBundle } from '@acuse/client/verify';

const headers = Object.fromEntries(
  readFileSync('headers.txt', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(': ')),
);
const event = await verifyWebhook(readFileSync('body.json'), headers, readFileSync('secret.txt', 'utf8'));
const { verdict } = await verifyBundle(readFileSync('proof.zip'), { policy: TRUST_BUNDLE });
console.log(verdict, event.type);
