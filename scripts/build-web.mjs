#!/usr/bin/env node
// Builds the web applications into server/dist/web/<application>, each file with its gzip and brotli next to
// it, and the list of first-load files that the budgets are held against. Vite runs in this process: start it
// as a child, so that what it holds goes away with it.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { PREACT_FOR_REACT } from './preact.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Application → the path that it is served under. */
export const APPLICATIONS = { portal: '/portal/', admin: '/' };

/** The oldest browsers that know light-dark(), popover and Trusted Types or do without the last. */
const BROWSERS = ['chrome123', 'edge123', 'firefox125', 'safari17.5'];

const LIBRARIES =
  /node_modules\/(?:preact|use-sync-external-store|@tanstack\/(?:react-)?(?:router|store|history)[\w-]*)\//;

/** Markup around lists. */
const LISTS =
  /web\/shared\/(?:ui\/(?:export-button|filters|list-words|period-field|search-field|use-narrow)\.tsx?|routing\/period\.ts|format\/(?:csv|days)\.ts)$/;

/** States of webhooks and failed connections: on the pages of webhooks and conversations alone. */
const WEBHOOKS = /web\/(?:(?:shared|portal\/src\/parts)\/webhooks\/|shared\/mail\/fault)/;

/** Of one page: several of its parts, each loaded when somebody comes to it, may share it. */
const OF_A_PAGE = /\/src\/pages\/([^/]+)\//;

/**
 * A page is a few files, because over HTTP/1.1 each costs a round trip: what others wrote, which browsers
 * keep over our own changes; what several pages share, with lists and webhooks apart; and what is its own.
 */
const FILES = [
  { name: 'libraries', test: LIBRARIES, priority: 2 },
  // A file takes what its own need along, so that this one comes before the lists.
  { name: 'common', test: isCommon, minShareCount: 2, priority: 1 },
  { name: 'lists', test: LISTS },
  { name: 'webhooks', test: WEBHOOKS },
  { name: (id) => `page-${OF_A_PAGE.exec(id)?.[1]}`, test: OF_A_PAGE, minShareCount: 2 },
];

function isCommon(id) {
  return ![LISTS, WEBHOOKS, OF_A_PAGE].some((apart) => apart.test(id));
}

/** Files that compress; others are small, or compressed already. */
const COMPRESSED = /\.(?:html|js|css|svg|json|map|txt)$/;

const compress = { gz: promisify(gzip), br: promisify(brotliCompress) };
const LEVELS = {
  gz: { level: 9 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } },
};

/**
 * Builds all applications. What is served is replaced whole, once all of it is there. Returns the files that
 * went into them.
 */
export async function buildWeb(dist) {
  const next = join(dist, `web.${process.pid}`);
  const inputs = new Set();
  try {
    await Promise.all(
      Object.keys(APPLICATIONS).map((name) => buildApplication(name, join(next, name), inputs)),
    );
    await compressBelow(next);
    mkdirSync(dist, { recursive: true });
    rmSync(join(dist, 'web'), { recursive: true, force: true });
    renameSync(next, join(dist, 'web'));
    return [...inputs];
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

async function buildApplication(name, outDir, inputs) {
  // Vite builds for whoever says otherwise here, such as a test run: libraries would come as for development.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    root: join(root, 'web', name),
    base: APPLICATIONS[name],
    configFile: false,
    logLevel: 'error',
    clearScreen: false,
    // The router's store brings a stand-in for what Preact itself has.
    resolve: {
      alias: [
        {
          find: 'use-sync-external-store/shim/with-selector',
          replacement: 'use-sync-external-store/with-selector',
        },
        ...Object.entries(PREACT_FOR_REACT).map(([name, replacement]) => ({
          find: new RegExp(`^${name}$`),
          replacement,
        })),
      ],
    },
    // Evidence is verified in a worker, whose policy is the page's: a module of ours alone.
    worker: { format: 'es', plugins: () => [noteInputs(inputs)] },
    plugins: [noteInputs(inputs)],
    build: {
      outDir,
      emptyOutDir: true,
      target: BROWSERS,
      cssTarget: BROWSERS,
      // The policy lets no data: address of a script, style or font in.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: 'manifest.json',
      reportCompressedSize: false,
      cssCodeSplit: false,
      rolldownOptions: { output: { codeSplitting: { groups: FILES } } },
    },
  });
}

/** Modules that are made up by the build itself have no path. */
function noteInputs(inputs) {
  return {
    name: 'acuse-inputs',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle))
        for (const id of Object.keys(chunk.modules ?? {}))
          if (isAbsolute(id)) inputs.add(id.replace(/\?.*$/, ''));
    },
  };
}

async function compressBelow(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && COMPRESSED.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(
    paths.flatMap((path) => {
      const bytes = readFileSync(path);
      return Object.entries(compress).map(async ([extension, run]) =>
        writeFileSync(`${path}.${extension}`, await run(bytes, LEVELS[extension])),
      );
    }),
  );
}
