import { expect, it } from 'vitest'
import { createTeamAccounts } from '../accounts/teamAccounts.ts'
import { must } from '../kernel/must.ts'
import * as contract from './contract.ts'
import { serveTeams } from './teamRoutes.ts'

type Handler = (call: object) => Promise<unknown>

it.each([
  ['where no mails are sent', { registrationOpen: false }, 'ada@kinora.test', { code: 'mail_required' }],
  [
    'to a disposable address, which would get an account with free credits',
    { registrationOpen: true },
    'ada@mailinator.com',
    { fields: { errors: [{ path: 'email', code: 'email_disposable' }] } },
  ],
])('records no invitation %s', async (_, mails, email, refusal) => {
  const handlers = new Map<unknown, Handler>()
  const serve = (endpoint: unknown, handler: Handler) => void handlers.set(endpoint, handler)
  const recorded: string[] = []
  const note = (what: string) => async () => void recorded.push(what)
  const services = { ...mails, accounts: {}, publicUrl: () => '' }
  const made = { token: 'token', invitation: { id: 'invitation' } }
  const routes = {
    teams: { readOwn: async () => ({ id: 'team', ownerId: 'owner', members: [] }), invite: note('event') },
    rows: { invitations: async () => [], make: () => made, put: note('row'), read: async () => undefined },
    accounts: {
      ...createTeamAccounts({ services, production: true } as never),
      find: async () => undefined,
      mail: note('mail'),
    },
    ...{ throttle: async () => {}, calendar: () => 0 },
  }
  serveTeams(serve as never, routes as never)

  const body = { email, credits_per_month: null }
  const call = { userId: 'owner', params: { id: 'team' }, body, command: () => ({}) }
  const invited = must(handlers.get(contract.inviteMember), 'handler')(call)
  await expect(invited).rejects.toMatchObject(refusal)
  expect(recorded).toEqual([])
})
