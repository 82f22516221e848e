#!/usr/bin/env node
// Opens the neighbour's account on the service's own database (DATABASE_URL, ACUSE_DATA_DIR) and prints its
// key.
import { importBundled } from './bundled.mjs';

const { openNeighbour } = await importBundled('neighbours-account.ts');
console.log(await openNeighbour());
