import { expect, it } from 'vitest'
import { must } from '../kernel/must.ts'
import * as contract from './contract.ts'
import { serveKeysOnBoard } from './keyRoutes.ts'
import { serveOutbox } from './outboxRoutes.ts'

const USER = '0197a2b4-0000-7000-8000-000000000001'
const ID = '0197a2b4-0000-7000-8000-000000000002'

type Handler = (call: object) => Promise<unknown>

it.each([
  ['the end of an API key', contract.endApiKey, `key ${ID} …ab12, user ${USER}`],
  ['a mail that is sent again', contract.resendMessage, `mail ${ID}, user ${USER}`],
])('records %s without the name and the address of the person', async (_, endpoint, detail) => {
  const handlers = new Map<unknown, Handler>()
  const serve = (served: unknown, handler: Handler) => void handlers.set(served, handler)
  const details: unknown[] = []
  const actions = { record: async (action: { readonly detail: string }) => void details.push(action.detail) }
  const emailsOf = async () => new Map([[USER, 'ada@kinora.test']])
  const keys = { end: async () => ({ name: 'Laptop of Ada', hint: 'ab12', user_id: USER }), emailsOf }
  serveKeysOnBoard(serve as never, { keys, actions, requireStepUp: async () => {} } as never)
  const messages = { resendAny: async () => ({ user_id: USER, channel: 'mail', about: 'Ada invites you to a team' }) }
  serveOutbox(serve as never, { messages, actions, emailsOf } as never)

  await must(handlers.get(endpoint), 'handler')({ params: { id: ID }, ctx: {} })
  expect(details).toEqual([detail])
})
