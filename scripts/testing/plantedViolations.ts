/** A file that breaks a rule by importing another. */
export interface Violation {
  readonly rule: string
  readonly from: string
  readonly to: string
  /** Source code of the file. Default: an import of a value from `to`. */
  readonly source?: string
  /** The content of `to`. Default: empty. */
  readonly target?: string
}

const importing = (rule: string, from: string, to: string): Violation => ({ rule, from, to })

/** One violation of each rule in .dependency-cruiser.mjs, to be written to an empty directory tree. */
export const VIOLATIONS: readonly Violation[] = [
  importing('a contract imports only zod and other contracts', 'backend/tasks/contract.ts', 'backend/tasks/routes.ts'),
  importing(
    'events import only kernel types and contract types',
    'backend/tasks/events.ts',
    'backend/kernel/http/problemDetails.ts',
  ),
  importing('events import types only', 'backend/credits/events.ts', 'backend/kernel/eventsourcing/pure/decider.ts'),
  importing(
    'a decider imports only its own events and contract and the kernel',
    'backend/tasks/videoTask.decider.ts',
    'backend/credits/contract.ts',
  ),
  importing(
    'a decider imports contracts as types only',
    'backend/subscriptions/subscription.decider.ts',
    'backend/subscriptions/plans.contract.ts',
  ),
  importing(
    'routes import only their context, kernel services and read functions',
    'backend/credits/routes.ts',
    'backend/subscriptions/contract.ts',
  ),
  importing('routes import the database as types only', 'backend/tasks/routes.ts', 'backend/kernel/postgres/orm.ts'),
  importing(
    'a context opens only its contract and events to others',
    'backend/analytics/pageViews.ts',
    'backend/accounts/passwords.ts',
  ),
  importing(
    'only projections, workflows and the audit read the events of another context',
    'backend/analytics/visits.ts',
    'backend/credits/events.ts',
  ),
  importing(
    'only activities run the deciders of a context from outside',
    'workflows/engine/logTriggers.ts',
    'backend/tasks/renderLane.decider.ts',
  ),
  importing('Temporal is loaded on demand', 'backend/app/openEngine.ts', 'workflows/temporal/temporalEngine.ts'),
  importing(
    'a context imports no decider of another context',
    'backend/tasks/buy.ts',
    'backend/credits/creditAccount.decider.ts',
  ),
  importing('the kernel knows no context', 'backend/kernel/http/session.ts', 'backend/accounts/contract.ts'),
  importing(
    'backend reads projections through their read functions only',
    'backend/tasks/list.ts',
    'projections/tasks/videoTask.ts',
  ),
  importing('backend starts no workflow itself', 'backend/tasks/begin.ts', 'workflows/tasks/generateVideo.workflow.ts'),
  importing(
    'projections import only events, contracts, the kernel’s port, traces and SQL doors',
    'projections/credits/balance.ts',
    'backend/credits/creditAccount.decider.ts',
  ),
  importing(
    'projections import contracts as types only',
    'projections/tasks/cost.ts',
    'backend/tasks/models.contract.ts',
  ),
  importing('projections use no package but MikroORM', 'projections/tasks/rows.ts', 'node_modules/pg/index.js'),
  importing(
    'a workflow body imports only the engine and other bodies',
    'workflows/tasks/generateVideo.workflow.ts',
    'workflows/tasks/taskActivities.ts',
  ),
  {
    rule: 'a workflow body names only activities, contracts and events',
    from: 'workflows/tasks/sweepHolds.workflow.ts',
    to: 'backend/tasks/renderLane.decider.ts',
    source: "import type { it } from '#backend/tasks/renderLane.decider.ts'\nexport type That = typeof it\n",
  },
  importing(
    'activities reach a context through its decider, events, contract and ports',
    'workflows/tasks/taskActivities.ts',
    'backend/tasks/tasks.ts',
  ),
  importing('workflows read no projection', 'workflows/engine/logTriggers.ts', 'projections/tasks/readOpenWork.ts'),
  importing(
    'the site imports only contracts, content and itself',
    'site/src/features/workspace/tasks.ts',
    'backend/tasks/models.contract.ts',
  ),
  importing(
    'providers import only ports, contracts and the kernel',
    'backend/providers/video/minimax.ts',
    'backend/tasks/tasks.ts',
  ),
  importing('backups receive the product as arguments', 'backend/backups/copy.ts', 'backend/app/schema.ts'),
  importing('the composition imports no program', 'backend/app/nightly.ts', 'backend/programs/audit.ts'),
  importing(
    'the renderer knows only the camera and the port of a video engine',
    'renderer/film.ts',
    'backend/kernel/media/frameEncoder.ts',
  ),
  importing('only the demo provider and the showcase draw films', 'backend/tasks/draw.ts', 'renderer/film.ts'),
  importing(
    'a feature imports no other feature',
    'site/src/features/profile/Profile.tsx',
    'site/src/features/auth/Outcome.tsx',
  ),
  importing('shared parts of the site import no feature', 'site/src/api/api.ts', 'site/src/features/shell/header.ts'),
  importing(
    'only the composition root chooses adapters',
    'backend/tasks/provider.ts',
    'backend/providers/video/demo/demoProvider.ts',
  ),
  importing('nothing imports the composition root', 'backend/accounts/start.ts', 'backend/app/kinora.ts'),
  importing('the server imports neither scripts nor the site', 'backend/kernel/http/site.ts', 'site/src/address.ts'),
  importing('scripts import only Node and each other', 'scripts/count.mjs', 'node_modules/zod/index.js'),
  importing(
    'nothing but tests imports tests',
    'backend/kernel/media/double.ts',
    'backend/providers/video/testing/providerDouble.ts',
  ),
  importing(
    'production code uses no development package',
    'backend/kernel/http/pages.ts',
    'node_modules/playwright/index.js',
  ),
  importing('every package is declared', 'backend/kernel/http/colours.ts', 'node_modules/chalk/index.js'),
  {
    rule: 'every import resolves',
    from: 'backend/kernel/http/gone.ts',
    to: './moved.ts',
    source: "import './moved.ts'\n",
  },
  {
    rule: 'no cycles',
    from: 'backend/kernel/media/egg.ts',
    to: 'backend/kernel/media/hen.ts',
    target: "import { it as egg } from './egg.ts'\nexport const it = [egg]\n",
  },
]
