import type pg from 'pg'
import { taskEvents } from '#projections/testing/taskEvents.ts'
import { derivedId } from '../../../kernel/eventsourcing/pure/eventHash.ts'
import { LEDGER } from '../seedLedger.ts'
import { account, forge, type Tampering } from './tampering.ts'

const { buyer, other } = LEDGER
const teamId = derivedId('team', buyer)
const stream = `team-${teamId}`
const BY_OWNER = { actor: `user:${buyer}` }
const at = new Date(Date.now() - 60_000).toISOString()
const taskId = (n: number) => `00000000-0000-7000-8000-00000000009${n}`

type Team = (type: string, data: object, meta?: object) => Promise<void>
const team =
  (pool: pg.Pool): Team =>
  (type, data, meta = BY_OWNER) =>
    forge(pool, { stream, type, data: { teamId, at, ...data }, meta })
const spenders = (pool: pg.Pool, revision: number, perMonth: number | null) =>
  forge(pool, {
    stream: account,
    type: 'SpendersSet',
    data: { userId: buyer, at, teamId, revision, spenders: [{ id: other, perMonth }] },
  })

/** Holds 30 of the buyer's credits for a task that `other` has ordered. */
async function order(pool: pg.Pool, n: number, spentBy: object = { spentBy: other }, maker = other) {
  const parts = [{ lotId: derivedId('free', buyer), amount: 30 }]
  const data = { userId: buyer, holdId: taskId(n), parts, ...spentBy, at }
  await forge(pool, { stream: account, type: 'CreditsHeld', data })
  const { submitted } = taskEvents(taskId(n), maker)
  const paid = { ...submitted.data, payerId: buyer, teamId }
  await forge(pool, { stream: `videoTask-${taskId(n)}`, type: submitted.type, data: paid })
}

/** Makes `other` a member of the buyer's team who may spend 30 credits in a month, and has. */
export async function formTeam(pool: pg.Pool): Promise<void> {
  await team(pool)('TeamCreated', { ownerId: buyer })
  await team(pool)('MemberInvited', { invitationId: taskId(0), perMonth: 30, expiresAt: '2027-01-01T00:00:00.000Z' })
  const joined = { userId: other, invitationId: taskId(0), perMonth: 30 }
  await team(pool)('MemberJoined', joined, { actor: `user:${other}` })
  await spenders(pool, 2, 30)
  await order(pool, 1)
}

/** Events of teams, and of what their members spend, that were appended with correct chains. */
export const TEAMS: readonly Tampering[] = [
  {
    what: "a stranger's task on an account",
    does: (pool) => order(pool, 1),
    names: [{ check: 'postings', stream: account, revision: 9, wrong: /was not in the team of the account's owner/ }],
  },
  {
    what: "a stranger's task whose credits the owner seems to have held",
    does: (pool) => order(pool, 1, {}),
    names: [
      {
        check: 'delivery',
        stream: `videoTask-${taskId(1)}`,
        revision: 0,
        wrong: /ordered it; its credits were held for the owner of the account/,
      },
    ],
  },
  {
    what: 'the task of a member who was removed',
    does: async (pool) => {
      await formTeam(pool)
      await team(pool)('MemberRemoved', { userId: other, reason: 'removed' })
      const data = { userId: buyer, at, teamId, revision: 3, spenders: [] }
      await forge(pool, { stream: account, type: 'SpendersSet', data })
      await order(pool, 2)
    },
    names: [{ check: 'postings', stream: account, revision: 12, wrong: /was not in the team/ }],
  },
  {
    what: 'a limit that was raised after it was passed',
    does: async (pool) => {
      await formTeam(pool)
      await order(pool, 2)
      await team(pool)('MemberLimitSet', { userId: other, perMonth: 100 })
      await spenders(pool, 3, 100)
    },
    names: [{ check: 'postings', stream: account, revision: 11, wrong: /The member .* spends 60 of 30 credits/ }],
  },
  {
    what: 'a limit that only the account knows',
    does: async (pool) => {
      await formTeam(pool)
      await spenders(pool, 3, 100)
      await order(pool, 2)
    },
    names: [{ check: 'team', stream: account, revision: 11, wrong: /It lets others spend, or others amounts/ }],
  },
  {
    what: 'a limit that the member has raised',
    does: async (pool) => {
      await formTeam(pool)
      await team(pool)('MemberLimitSet', { userId: other, perMonth: 100 }, { actor: `user:${other}` })
      await spenders(pool, 3, 100)
    },
    names: [{ check: 'team', stream, revision: 3, wrong: /Another than the owner set the limit/ }],
  },
  {
    what: 'a member whom nobody has invited',
    does: async (pool) => {
      await team(pool)('TeamCreated', { ownerId: buyer })
      const joined = { userId: other, invitationId: taskId(0), perMonth: null }
      await team(pool)('MemberJoined', joined, { actor: `user:${other}` })
      await spenders(pool, 1, null)
    },
    names: [{ check: 'team', stream, revision: 1, wrong: /There was no such invitation/ }],
  },
  {
    what: "a team that spends another's credits",
    does: async (pool) => {
      await team(pool)('TeamCreated', { ownerId: other }, { actor: `user:${other}` })
      await spenders(pool, 0, null)
    },
    names: [
      { check: 'team', stream, revision: 0, wrong: /It is not the team of/ },
      { check: 'team', stream: account, revision: 9, wrong: /The user owns no team/ },
    ],
  },
  {
    what: 'a removal that the account does not know for a day',
    does: async (pool) => {
      await formTeam(pool)
      const before = '2026-01-10T13:00:00.000Z'
      await team(pool)('MemberRemoved', { userId: other, reason: 'removed', at: before })
    },
    names: [{ check: 'team', stream, revision: 3, wrong: /does not know this change/ }],
  },
]
