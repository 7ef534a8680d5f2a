import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble, type ProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import type { CurrentSubscription, Stats } from '#backend/subscriptions/contract.ts'
import type { RenderState } from '#backend/tasks/videoProvider.port.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import { findTemporal, startTemporalServer, type TemporalServer } from '../testing/temporalServer.ts'
import { generate, remaining, taskOf } from '../testing/userTasks.ts'

const program = findTemporal()
const lacking = program ? '' : ' (skipped: no temporal program found, and pip could not install it)'
const DAY = 24 * 3_600_000
const soon = (assertion: () => Promise<void>) => eventually(assertion)

/** Runs the application with Temporal instead of the embedded engine. */
describe.skipIf(!program)(`Kinora on a real Temporal server${lacking}`, () => {
  const states = new Map<string, RenderState>()
  let server: TemporalServer
  let provider: ProviderDouble
  let kinora: TestKinora
  let moved = 0
  beforeAll(async () => {
    server = await startTemporalServer(program!)
    provider = await createProviderDouble()
    provider.answer = (jobId) => states.get(jobId) ?? { kind: 'rendering', percent: 10 }
    const env = { TEMPORAL_ADDRESS: server.address }
    kinora = await startTestKinora({ provider, now: () => Date.now() + moved, env })
  })
  afterAll(async () => {
    await kinora?.close()
    await server?.close()
  })

  const eventTypes = async (stream: string) => {
    const types: string[] = []
    for await (const { type } of kinora.context.store.readStream(stream)) types.push(type)
    return types
  }

  it('renders a video, and refunds one that fails and one that times out', {
    timeout: 600_000,
  }, async () => {
    const user = await kinora.newUser()
    const [good, bad] = [await generate(user), await generate(user)]
    await soon(async () => expect(await taskOf(user, good.id)).toMatchObject({ status: 'Processing' }))
    await soon(async () => expect(await taskOf(user, bad.id)).toMatchObject({ status: 'Queueing' }))
    states.set(good.id, { kind: 'finished' })
    states.set(bad.id, { kind: 'failed', code: 'provider_failed', detail: 'out of memory' })
    await soon(async () => expect(await taskOf(user, good.id)).toMatchObject({ status: 'Success' }))
    await soon(async () => expect(await taskOf(user, bad.id)).toMatchObject({ status: 'Fail', credits_consumed: 0 }))
    await soon(async () => expect(await remaining(user)).toBe(30))

    const late = await generate(user)
    await soon(async () => expect(await taskOf(user, late.id)).toMatchObject({ status: 'Processing' }))
    moved += 30 * 60_000
    await soon(async () => expect(await taskOf(user, late.id)).toMatchObject({ error_code: 'render_timed_out' }))
    await soon(async () => expect(await remaining(user)).toBe(30))
    expect(provider.asked.map(({ taskId }) => taskId)).toEqual([good.id, bad.id, late.id])
    const ledger = await eventTypes(`creditAccount-${user.userId}`)
    expect(ledger.filter((type) => type === 'CreditsCaptured')).toHaveLength(1)
    expect(ledger.filter((type) => type === 'CreditsReleased')).toHaveLength(2)
  })

  it('loses no video and charges none twice across an outage of Temporal', { timeout: 600_000 }, async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await soon(async () => expect(await taskOf(user, id)).toMatchObject({ status: 'Processing' }))
    await server.stop('SIGKILL')
    expect((await fetch(`${kinora.url}/readyz`)).status).toBe(503)
    states.set(id, { kind: 'finished' })
    const second = await generate(user)
    states.set(second.id, { kind: 'finished' })
    await server.start()
    for (const each of [id, second.id])
      await soon(async () => expect(await taskOf(user, each)).toMatchObject({ status: 'Success' }))
    await soon(async () => expect((await fetch(`${kinora.url}/readyz`)).status).toBe(200))
    expect(provider.asked.filter(({ taskId }) => taskId === id)).toHaveLength(1)
    await soon(async () => {
      const ledger = await eventTypes(`creditAccount-${user.userId}`)
      expect(ledger.filter((type) => type === 'CreditsCaptured')).toHaveLength(2)
    })
  })

  it('renews a plan, grants a grace period after a failed payment, and ends a cancelled plan with its period', {
    timeout: 600_000,
  }, async () => {
    const user = await kinora.newUser()
    const read = async <T>(path: string) => (await (await user.call('GET', path)).json()) as T
    const stats = () => read<Stats>('/subscriptions/stats')
    const dev = (path: string, body = {}) =>
      fetch(`${kinora.url}/dev/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const advance = (ms: number) => dev('clock', { advance_ms: ms })
    const asked = await user.call('POST', '/subscriptions/upgrade', { new_tier: 'pro', billing_cycle: 'monthly' })
    const id = ((await asked.json()) as { data: { subscription_id: string } }).data.subscription_id
    await dev(`paypal/${id}/approve`)
    await soon(async () => expect(await stats()).toMatchObject({ current_tier: 'pro', remaining_credits: 4560 }))

    await advance(32 * DAY)
    await soon(async () => expect(await stats()).toMatchObject({ current_tier: 'pro', remaining_credits: 9060 }))
    await dev(`paypal/${id}/fail-payment`)
    const current = () => read<CurrentSubscription>('/subscriptions/current')
    await soon(async () => expect((await current()).grace_until).not.toBeNull())
    await user.call('POST', '/subscriptions/cancel', { cancel_at_period_end: true })
    await soon(async () => expect(await current()).toMatchObject({ status: 'cancelled', tier: 'pro' }))
    const isAtProvider = async (status: string) =>
      expect((await kinora.context.payments.getAgreement(id))?.status).toBe(status)
    await soon(() => isAtProvider('suspended'))
    await advance(32 * DAY)
    await soon(async () => expect(await stats()).toMatchObject({ current_tier: 'free', current_status: 'expired' }))
    await soon(() => isAtProvider('cancelled'))
  })
})
