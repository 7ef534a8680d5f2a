import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROJECTIONS } from '#projections/all.ts'
import { foldOrPark, keyEvents } from '#projections/engine/foldOrPark.ts'
import { deskCase } from '../cases/case.decider.ts'
import { code } from '../codes/code.decider.ts'
import { creditAccount } from '../credits/creditAccount.decider.ts'
import { deskAction } from '../desk/deskAction.decider.ts'
import { installation } from '../installation/installation.decider.ts'
import { invoiceBook } from '../invoices/invoiceBook.decider.ts'
import type { GlobalPosition, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import type { Decider } from '../kernel/eventsourcing/pure/decider.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'
import { operatorRoll } from '../operators/operatorRoll.decider.ts'
import { subscription } from '../subscriptions/subscription.decider.ts'
import { renderLane } from '../tasks/renderLane.decider.ts'
import { videoTask } from '../tasks/videoTask.decider.ts'
import { team } from '../teams/team.decider.ts'
import { bulk } from '../triage/bulk.decider.ts'

// Events as releases have stored them. Never edit one: when a schema changes, raise its version with an upcaster and add
// an example of the new version.

const golden = (context: string): Stored[] => {
  const file = path.join(import.meta.dirname, '..', context, 'testing/goldenEvents.json')
  const events = JSON.parse(readFileSync(file, 'utf8')) as Stored[]
  const position = (n: number) => String(n).padStart(20, '0') as GlobalPosition
  return events.map((event, n) => ({ ...event, position: position(n), created: new Date(0) }))
}
const contexts = {
  cases: golden('cases'),
  codes: golden('codes'),
  credits: golden('credits'),
  desk: golden('desk'),
  installation: golden('installation'),
  invoices: golden('invoices'),
  operators: golden('operators'),
  subscriptions: golden('subscriptions'),
  tasks: golden('tasks'),
  teams: golden('teams'),
  triage: golden('triage'),
}
const events = Object.values(contexts).flat()

const deciders: [string, Decider<unknown, never, never>][] = [
  code,
  creditAccount,
  deskAction,
  installation,
  deskCase,
  bulk,
  subscription,
  invoiceBook,
  operatorRoll,
  videoTask,
  renderLane,
  team,
].map((decider) => [decider.category, decider as unknown as Decider<unknown, never, never>])
const ofCategory = (category: string) => events.filter(({ stream }) => stream.startsWith(`${category}-`))

describe.each(deciders)('golden events of %s', (category, decider) => {
  it('contain every version of every event type', () => {
    const versions = Object.entries(decider.schemas as Record<string, readonly unknown[]>).flatMap(
      ([type, upcasters]) => Array.from({ length: upcasters.length + 1 }, (_, n) => `${type} ${n + 1}`),
    )
    const examples = new Set(ofCategory(category).map(({ type, meta }) => `${type} ${meta.schema}`))
    expect([...examples].toSorted()).toEqual(versions.toSorted())
  })

  it('are read as intact streams and fold to the recorded states', async () => {
    const store = createMemoryEventStore()
    store.log.push(...ofCategory(category))
    let states = ''
    for (const stream of new Set(store.log.map(({ stream }) => stream))) {
      const { state } = await createHandle(store).read(decider, stream.slice(category.length + 1))
      states += `${JSON.stringify({ stream, state })}\n`
    }
    await expect(states).toMatchFileSnapshot(`goldenStates/${category}.jsonl`)
  })
})

describe.each(PROJECTIONS.map((projection) => [projection.name, projection] as const))('%s', (_, projection) => {
  it('projects the golden events of its categories', () => {
    const own = projection.categories.flatMap(ofCategory)
    const { parked } = foldOrPark(projection, keyEvents(projection, own), new Map(), new Set())
    expect(parked).toEqual([])
  })
})
