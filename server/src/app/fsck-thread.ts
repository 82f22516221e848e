import { serveJobs } from '../platform/threads/serve-jobs.ts';
import { checkPageJob } from '../sealing/fsck/fsck-page-job.ts';

/** The program of a thread of `acuse fsck`. */
serveJobs([checkPageJob]);
