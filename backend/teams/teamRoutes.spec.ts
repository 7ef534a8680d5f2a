import { expect, it } from 'vitest'
import { createTeamAccounts } from '../accounts/teamAccounts.ts'
import { must } from '../kernel/must.ts'
import * as contract from './contract.ts'
import { serveTeams } from './teamRoutes.ts'

type Handler = (call: object) => Promise<unknown>

it('records no invitation where no mails are sent', async () => {
  const handlers = new Map<unknown, Handler>()
  const serve = (endpoint: unknown, handler: Handler) => void handlers.set(endpoint, handler)
  const recorded: string[] = []
  const note = (what: string) => async () => void recorded.push(what)
  const services = { registrationOpen: false, accounts: {}, publicUrl: () => '' }
  const made = { token: 'token', invitation: { id: 'invitation' } }
  const routes = {
    teams: { readOwn: async () => ({ id: 'team', ownerId: 'owner', members: [] }), invite: note('event') },
    rows: { invitations: async () => [], make: () => made, put: note('row'), read: async () => undefined },
    accounts: { ...createTeamAccounts({ services } as never), find: async () => undefined },
    ...{ throttle: async () => {}, calendar: () => 0 },
  }
  serveTeams(serve as never, routes as never)

  const body = { email: 'ada@kinora.test', credits_per_month: null }
  const call = { userId: 'owner', params: { id: 'team' }, body, command: () => ({}) }
  const invited = must(handlers.get(contract.inviteMember), 'handler')(call)
  await expect(invited).rejects.toMatchObject({ code: 'mail_required' })
  expect(recorded).toEqual([])
})
