import { checkPageJob } from '../evidence/fsck/fsck-page-job.ts';
import { serveJobs } from '../platform/threads/serve-jobs.ts';

serveJobs([checkPageJob]);
