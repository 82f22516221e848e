import { serveJobs } from './platform/threads/serve-jobs.ts';
import { checkJob, renderJob } from './templates/render-jobs.ts';

/** The program of a worker thread: every job that the service gives to one. */
serveJobs([renderJob, checkJob]);
