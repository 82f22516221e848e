import { crc32 as crcOf, deflateRawSync, inflateRawSync } from 'node:zlib';

/** Names and contents of an archive, read by its local headers (PKWARE APPNOTE 4.3.7), in their order. */
export function entriesOf(archive, inflate = inflateRawSync) {
  const entries = [];
  for (let at = 0; archive.toString('latin1', at, at + 4) === 'PK\x03\x04'; ) {
    const nameLength = archive.readUInt16LE(at + 26);
    const start = at + 30 + nameLength + archive.readUInt16LE(at + 28);
    const end = start + archive.readUInt32LE(at + 18);
    const bytes = archive.subarray(start, end);
    const content = archive.readUInt16LE(at + 8) === 0 ? bytes : Buffer.from(inflate(bytes));
    entries.push([archive.toString('utf8', at + 30, at + 30 + nameLength), content]);
    at = end;
  }
  return entries;
}

/** An archive of one deflated entry, which says that it is of `size`. */
export function archiveOf(name, bytes, size = bytes.length, packed = deflateRawSync(bytes)) {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt16LE(0x21, 8);
  fields.writeUInt32LE(crcOf === undefined ? 0 : crcOf(bytes), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
  const directory = Buffer.concat([
    Buffer.from('PK\x01\x02'),
    Buffer.from([20, 0]),
    fields,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directory, end]);
}
