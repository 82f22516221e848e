#!/usr/bin/env node
// The service without its database (see without-database.ts), in a process of its own. Configured as the
// service is, with the DATABASE_URL of a database that the service has run on. Prints its URL as one line.
import { importBundled } from './bundled.mjs';

const { serveWithoutDatabase } = await importBundled('without-database.ts');
console.log(await serveWithoutDatabase());
