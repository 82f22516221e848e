import { readImportJob } from '../accounts/suppressions/import-file.ts';
import { checkJob, renderJob } from '../accounts/templates/render-jobs.ts';
import { lookOverJob } from '../delivery/large-message.ts';
import {
  readDomainReportsJob,
  readReturnedJob,
  verifyReturnedJob,
} from '../delivery/return-path/large-mail.ts';
import { archivedContentJob } from '../evidence/archive/archived-content.ts';
import { bundleJob, pdfJob, verifyJob } from '../evidence/bundle/bundle-jobs.ts';
import { caseBundleJob, caseIndexJob } from '../evidence/bundle/case-file.ts';
import { sharedBundleJob } from '../evidence/bundle/shared-bundle.ts';
import { composeJob, readBatchJob, readJsonJob, readRfc822Job } from '../messages/large-jobs.ts';
import { readPartJob, readPartsJob } from '../messages/parts-jobs.ts';
import { knownClientJob } from '../operate/attack/known-client.ts';
import { serveJobs } from '../platform/threads/serve-jobs.ts';
import { previewJob, renderedPreviewJob } from '../surfaces/portal/preview.ts';

serveJobs([
  readJsonJob,
  readRfc822Job,
  readBatchJob,
  composeJob,
  readPartsJob,
  readPartJob,
  readImportJob,
  renderJob,
  checkJob,
  lookOverJob,
  readReturnedJob,
  readDomainReportsJob,
  verifyReturnedJob,
  archivedContentJob,
  bundleJob,
  pdfJob,
  verifyJob,
  sharedBundleJob,
  caseBundleJob,
  caseIndexJob,
  previewJob,
  renderedPreviewJob,
  knownClientJob,
]);
