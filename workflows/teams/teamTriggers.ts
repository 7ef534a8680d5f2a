import { SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { TEAM, TEAM_EVENTS, type TeamEvent } from '#backend/teams/events.ts'
import type { LogTrigger, OpenWork } from '../engine/logTriggers.ts'
import type { Start } from '../engine/starts.ts'

type Change = Readonly<{ teamId: string }>
type Owner = Readonly<{ userId: string }>

const CHANGES: readonly TeamEvent['type'][] = ['MemberJoined', 'MemberLimitSet', 'MemberRemoved', 'TeamClosed']

/**
 * Tells the account of a team's owner who may spend, without a workflow. The request that changed the team does so, too; it may
 * have died in between.
 */
export function teamTrigger(
  readOpenWork: () => Promise<OpenWork<Change>>,
  tell: (teamId: string) => Promise<unknown>,
): LogTrigger<TeamEvent, Change> {
  const start = ({ teamId }: Change): Start => ({ entity: teamId, priority: 1, run: () => tell(teamId) })
  return {
    category: TEAM,
    schemas: TEAM_EVENTS,
    readOpenWork,
    resume: start,
    react: ({ type, data }) => (CHANGES.includes(type) ? start(data) : undefined),
  }
}

/** Mails those who were taken out of a team. After a restart it looks at every team: what was mailed is not mailed again. */
export function teamMailTrigger(
  readTeams: () => Promise<OpenWork<string>>,
  mail: (teamId: string) => Promise<unknown>,
): LogTrigger<TeamEvent, string> {
  const start = (teamId: string): Start => ({
    entity: `mails of ${teamId}`,
    priority: 3,
    run: () => mail(teamId),
  })
  return {
    category: TEAM,
    schemas: TEAM_EVENTS,
    readOpenWork: readTeams,
    resume: start,
    resumeInBackground: true,
    react: ({ type, data }) => (type === 'MemberRemoved' || type === 'TeamClosed' ? start(data.teamId) : undefined),
  }
}

/** Closes the team of a user whose plan ends, or has become one without a team. */
export function teamPlanTrigger(
  readOwners: () => Promise<OpenWork<Owner>>,
  closeWithoutPlan: (userId: string) => Promise<unknown>,
): LogTrigger<SubscriptionEvent, Owner> {
  const start = ({ userId }: Owner): Start => ({
    entity: `team of ${userId}`,
    priority: 1,
    run: () => closeWithoutPlan(userId),
  })
  return {
    category: SUBSCRIPTION,
    schemas: SUBSCRIPTION_EVENTS,
    readOpenWork: readOwners,
    resume: start,
    resumeInBackground: true,
    react: ({ type, data }) =>
      type === 'SubscriptionEnded' || type === 'SubscriptionActivated' ? start(data) : undefined,
  }
}
