import { expect, test } from 'vitest';
import {
  createAddressRule,
  isLoopbackAddress,
  isPublicAddress,
} from '../../src/platform/network/public-address.ts';

const SPECIAL = [
  // IANA IPv4 Special-Purpose Address Registry, first and last address of each block.
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.254', '169.254.169.254', '169.254.170.2', '172.16.0.0', '172.31.255.255'],
  ...['192.0.0.1', '192.0.0.170', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.168.0.1'],
  ...['192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.1', '255.255.255.254', '255.255.255.255'],
  // IANA IPv6 Special-Purpose Address Registry, and every form that carries an IPv4 address.
  ...['::', '::1', '::127.0.0.1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
  ...['::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1'],
  ...['64:ff9b:1::1', '64:ff9b:1::8.8.8.8', '100::1', '100:0:0:1::1', '2001::1', '2001:0:7f00:1::'],
  ...['2001:0:53aa:64c:0:7f00:80ff:fffe', '2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1'],
  ...['2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1', '2620:4f:8000::1', '3fff::1', '5f00::1'],
  ...['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', 'ff05::2'],
  ...['2606:4700::5efe:127.0.0.1', '2606:4700::200:5efe:10.0.0.1'],
  // Not an address at all.
  ...['', 'localhost', '1', '8.8.8.8%eth0', '8.8.8.8.', '999.1.1.1', '[::1]', '2606:4700::1%1'],
];

const PUBLIC = [
  ...['1.1.1.1', '8.8.8.8', '11.0.0.1', '100.63.255.255', '100.128.0.1', '128.0.0.1', '172.15.0.1'],
  ...['172.32.0.1', '192.0.1.1', '192.169.0.1', '198.17.0.1', '198.20.0.1', '223.255.255.254'],
  ...['2001:4860:4860::8888', '2606:4700::1111', '2400:cb00::1', '2a00:1450::1', '64:ff9b::8.8.8.8'],
];

test.each(SPECIAL)('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(PUBLIC)('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('loopback is told in any spelling, and nothing else is', () => {
  for (const address of [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
  ])
    expect(isLoopbackAddress(address), address).toBe(true);
  for (const address of ['128.0.0.1', '::2', '::1%lo', '10.0.0.1', '64:ff9b::7f00:1', 'localhost', ''])
    expect(isLoopbackAddress(address), address).toBe(false);
});

test('networks that an operator names are open beside the public ones, in every spelling, and no others', () => {
  const mayReach = createAddressRule(['10.20.0.0/16', 'fd12::/16', '127.0.0.2', '::1']);
  for (const address of ['10.20.0.1', '::ffff:10.20.255.255', 'fd12::9', '127.0.0.2', '::1', ...PUBLIC])
    expect(mayReach(address), address).toBe(true);
  for (const address of ['10.21.0.1', 'fd13::9', '127.0.0.1', '::ffff:127.0.0.1', '::2', '', 'localhost'])
    expect(mayReach(address), address).toBe(false);
  const strict = createAddressRule([]);
  for (const address of SPECIAL) expect(strict(address), address).toBe(false);
});
