import { createCaseFiles } from '../../evidence/bundle/case-file.ts';
import type { ApprovalDeps } from '../../messages/approvals.ts';
import type { ContentDeps } from '../../messages/parts.ts';
import { behind, PORTAL_DOOR } from '../../platform/http/door.ts';
import type { App } from '../../platform/http/http.ts';
import { approvalRoutes } from './approval-routes.ts';
import { type ChangesDeps, changesRoutes } from './changes-routes.ts';
import { onboardingRoutes } from './onboarding-routes.ts';
import { outcomesRoutes } from './outcomes-routes.ts';
import { previewRoutes } from './preview-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { caseRoutes } from './shares/case-routes.ts';
import { proveRoutes } from './shares/prove-routes.ts';
import { shareRoutes } from './shares/routes.ts';
import type { SharesDeps } from './shares/shares.ts';
import { tailRoutes } from './tail-routes.ts';
import { frameRoutes } from './template-frame.ts';
import { type TemplatePreviewDeps, templatePreviewRoutes } from './template-preview-routes.ts';
import { type UsageDeps, usageRoutes } from './usage-routes.ts';

interface PortalRoutesDeps
  extends SharesDeps,
    ContentDeps,
    ChangesDeps,
    TemplatePreviewDeps,
    ApprovalDeps,
    UsageDeps {
  publicUrl(): string;
}

/** Portal-only routes, and shared links. */
export function portalRoutes(app: App, deps: PortalRoutesDeps): void {
  const about = behind(app, PORTAL_DOOR);
  previewRoutes(about('Messages'), deps);
  approvalRoutes(about('Approvals'), deps);
  templatePreviewRoutes(about('Templates'), deps);
  frameRoutes(app);
  shareRoutes(about('Shares'), deps);
  const verifyUrl = () => `${deps.publicUrl()}/verify`;
  const cases = { ...deps, makeCaseFile: createCaseFiles({ ...deps, verifyUrl }) };
  caseRoutes(about('Shares'), cases);
  proveRoutes(app, cases);
  searchRoutes(about('Account'), deps);
  changesRoutes(app, about('Account'), deps);
  onboardingRoutes(about('Account'), deps);
  usageRoutes(about('Account'), deps);
  outcomesRoutes(about('Account'), deps);
  tailRoutes(about('Account'), deps);
}
