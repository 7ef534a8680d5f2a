import { generateMutants, type Mutant } from './generateMutants.ts'
import { sqlMutants } from './sqlMutants.ts'

/** A file whose mutants must be killed, and the specs that kill them, fastest first. */
export interface Target {
  readonly file: string
  readonly specs: readonly string[]
  /** Name of the only function whose mutants count. Default: all of the file. */
  readonly within?: string
}

const subscriptionSpecs = [
  'backend/subscriptions/subscription.decider.spec.ts',
  'backend/subscriptions/subscriptionReports.spec.ts',
  'backend/subscriptions/reversals.rules.spec.ts',
  'backend/subscriptions/agreements.rules.spec.ts',
  'backend/subscriptions/repeatedReports.spec.ts',
  'backend/subscriptions/scheduledPlans.spec.ts',
  'backend/subscriptions/lateDowngrades.spec.ts',
  'backend/subscriptions/failedRefunds.spec.ts',
  'backend/subscriptions/packs.spec.ts',
]

const creditSpecs = [
  'backend/credits/creditAccount.decider.spec.ts',
  'backend/credits/creditReversals.spec.ts',
  'backend/credits/creditCorrections.spec.ts',
  'backend/credits/endedLots.spec.ts',
  'backend/credits/snapshotVersion.spec.ts',
]

export const TARGETS: readonly Target[] = [
  { file: 'backend/tasks/renderLane.decider.ts', specs: ['backend/tasks/renderLane.decider.spec.ts'] },
  {
    file: 'backend/tasks/videoTask.decider.ts',
    specs: [
      'backend/tasks/videoTask.decider.spec.ts',
      'backend/tasks/videoTaskLease.spec.ts',
      'backend/tasks/videoTaskFacts.spec.ts',
    ],
  },
  { file: 'backend/codes/code.decider.ts', specs: ['backend/codes/code.decider.spec.ts'] },
  { file: 'backend/desk/deskAction.decider.ts', specs: ['backend/desk/deskAction.decider.spec.ts'] },
  {
    file: 'backend/operators/operatorRoll.decider.ts',
    specs: ['backend/operators/operatorRoll.decider.spec.ts'],
  },
  { file: 'backend/invoices/invoiceBook.decider.ts', specs: ['backend/invoices/invoiceBook.decider.spec.ts'] },
  { file: 'backend/credits/lots.rules.ts', specs: creditSpecs },
  { file: 'backend/credits/creditAccount.decider.ts', specs: creditSpecs },
  { file: 'backend/credits/invariants.rules.ts', specs: ['backend/credits/invariants.rules.spec.ts'] },
  {
    file: 'backend/subscriptions/invariants.rules.ts',
    specs: ['backend/subscriptions/invariants.rules.spec.ts'],
  },
  { file: 'backend/subscriptions/agreements.rules.ts', specs: subscriptionSpecs },
  { file: 'backend/subscriptions/dueChanges.rules.ts', specs: subscriptionSpecs },
  { file: 'backend/subscriptions/endings.rules.ts', specs: subscriptionSpecs },
  { file: 'backend/subscriptions/reversals.rules.ts', specs: subscriptionSpecs },
  { file: 'backend/subscriptions/packs.rules.ts', specs: ['backend/subscriptions/packs.spec.ts'] },
  { file: 'backend/subscriptions/withdrawals.rules.ts', specs: ['backend/subscriptions/withdrawals.spec.ts'] },
  { file: 'backend/subscriptions/takenBack.rules.ts', specs: subscriptionSpecs },
  { file: 'backend/subscriptions/starts.rules.ts', specs: subscriptionSpecs },
  { file: 'backend/subscriptions/subscription.decider.ts', specs: subscriptionSpecs },
  {
    file: 'workflows/subscriptions/settleSubscription.ts',
    specs: ['workflows/subscriptions/settleSubscription.spec.ts', 'workflows/subscriptions/syncProvider.spec.ts'],
  },
  ...['applyWebhook', 'refreshAgreement'].map((name) => ({
    file: `workflows/subscriptions/${name}.ts`,
    specs: ['workflows/subscriptions/applyWebhook.spec.ts', 'proof/money/wonDisputes.spec.ts'],
  })),
  { file: 'workflows/subscriptions/remind.ts', specs: ['workflows/subscriptions/remind.spec.ts'] },
  {
    file: 'workflows/subscriptions/reconcileReversals.ts',
    specs: ['workflows/subscriptions/reconcileReversals.spec.ts'],
  },
  ...['pollJob', 'createJob', 'candidateRoutes'].map((name) => ({
    file: `workflows/tasks/${name}.ts`,
    specs: [`workflows/tasks/${name}.spec.ts`],
  })),
  { file: 'workflows/tasks/sweepHolds.workflow.ts', specs: ['workflows/tasks/sweepHolds.spec.ts'] },
  { file: 'workflows/tasks/taskActivities.ts', within: 'sweepHolds', specs: ['workflows/tasks/sweepHolds.spec.ts'] },
  {
    file: 'backend/kernel/eventsourcing/lane.ts',
    specs: [
      'backend/kernel/eventsourcing/handle.spec.ts',
      'backend/kernel/eventsourcing/lane.spec.ts',
      'backend/kernel/eventsourcing/unreadableStreams.spec.ts',
      'backend/kernel/eventsourcing/snapshots.spec.ts',
    ],
  },
  {
    file: 'backend/kernel/eventsourcing/postgres/postgresEventStore.sql.ts',
    specs: ['backend/kernel/eventsourcing/postgres/appendFunction.int.spec.ts'],
  },
]

/** Returns the mutants of a target whose text is given. */
export function mutantsOf({ file, within }: Target, text: string): Mutant[] {
  return file.endsWith('.sql.ts') ? sqlMutants(file, text) : generateMutants(file, text, within)
}
