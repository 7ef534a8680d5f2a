import { beforeEach, expect, it } from 'vitest'
import { createHandle } from '../../kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '../../kernel/eventsourcing/testing/memoryEventStore.ts'
import { BOOTSTRAP } from '../events.ts'
import { createOperators } from './operators.ts'

const OLGA = { id: BOOTSTRAP, name: 'olga', role: 'owner' } as const
const VERA = { name: 'vera', email: 'vera@kinora.test', role: 'viewer' } as const

/** Ids in the table of logins. */
let logins: Set<unknown>
let isDown: boolean
let operators: ReturnType<typeof createOperators>
beforeEach(() => {
  logins = new Set()
  isDown = false
  const pool = {
    async query(sql: string, [id]: readonly unknown[]) {
      if (isDown) throw new Error('the database is away')
      if (sql.startsWith('insert')) logins.add(id)
      if (sql.startsWith('delete')) logins.delete(id)
      return { rows: [] }
    },
  }
  const bootstrap = { username: OLGA.name, password: '' }
  const handle = createHandle(createMemoryEventStore())
  operators = createOperators({ handle, pool, bootstrap, calendar: () => 0 } as never)
})

it('can be invited again after an invitation whose login could not be stored', async () => {
  isDown = true
  await expect(operators.invite(VERA, OLGA)).rejects.toThrow('the database is away')
  isDown = false
  const { id } = await operators.invite(VERA, OLGA)
  expect([...logins]).toEqual([id])
})

it('stores no login of an invitation that is refused', async () => {
  const { id } = await operators.invite(VERA, OLGA)
  await expect(operators.invite(VERA, OLGA)).rejects.toMatchObject({ code: 'operator_exists' })
  expect([...logins]).toEqual([id])
})
