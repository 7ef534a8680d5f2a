import { expect, it } from 'vitest'
import { createDemoProvider, demoSlots } from '../../providers/video/demo/demoProvider.ts'
import type { VideoProvider } from '../../tasks/videoProvider.port.ts'
import { estimatesOf } from './capacity.ts'

const providers = (...all: Partial<VideoProvider>[]) =>
  new Map(all.map((provider, index) => [`${index}`, provider as VideoProvider]))

it('expects a first render to take as long as its provider says, and two minutes where one says nothing', () => {
  const demo = { name: 'demo', typicalMs: 15_000 }
  expect(estimatesOf(providers(demo)).firstEstimateMs).toBe(15_000)
  expect(estimatesOf(providers(demo, { name: 'fal' })).firstEstimateMs).toBe(120_000)
})

it('adds the rates of all providers, unless one of them has no limit', () => {
  const [ten, twenty] = [{ createsPerMinute: 10 }, { createsPerMinute: 20 }]
  expect(estimatesOf(providers(ten, twenty)).createsPerMinute).toBe(30)
  expect(estimatesOf(providers(ten, {})).createsPerMinute).toBeUndefined()
})

it('does not count the demo beside a real engine', () => {
  const [demo, own, hosted] = [{ name: 'demo', typicalMs: 300_000 }, { ownQueue: true }, { createsPerMinute: 10 }]
  expect(estimatesOf(providers(demo, own))).toEqual(estimatesOf(providers(own)))
  expect(estimatesOf(providers(demo, hosted))).toEqual(estimatesOf(providers(hosted)))
})

it('expects an own engine to render one video at a time, unless another provider has no queue', () => {
  const own = { ownQueue: true }
  expect(estimatesOf(providers(own)).renderSlots).toBe(1)
  expect(estimatesOf(providers(own, own)).renderSlots).toBe(2)
  expect(estimatesOf(providers(own, {})).renderSlots).toBe(2_000)
})

it('expects the demo alone to draw as many videos at a time as this machine can, and lets none of its queue count as rendering', () => {
  const demo = createDemoProvider('/nowhere')
  expect(estimatesOf(providers(demo)).renderSlots).toBe(demoSlots())
  // Beside a real engine, films wait in the demo.
  expect(demo.ownQueue).toBe(true)
})
