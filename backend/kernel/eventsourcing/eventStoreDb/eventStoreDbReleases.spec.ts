import { expect, it } from 'vitest'
import { faultOfRelease } from './eventStoreDbReleases.ts'

it.for(['24.2.0', '24.2.1.1234', '24.6.0', '24.10.0', '24.10.4'])('names the fault of EventStoreDB %s', (version) => {
  expect(faultOfRelease(version)).toBe(
    `EventStoreDB ${version} sends wrong checkpoints to subscriptions. Update it to 24.10.5 or newer`,
  )
})

it.for(['23.10.0', '23.10.8', '24.10.5', '24.10.14', '25.0.1', '25.1.0-rc.1', '26.0.0', 'unknown', ''])(
  'finds no fault in release "%s"',
  (version) => expect(faultOfRelease(version)).toBeUndefined(),
)

it.for(['5.0.11', '22.10.3', '23.6.0'])('refuses EventStoreDB %s as too old', (version) => {
  expect(faultOfRelease(version)).toMatch(/too old\. Update it to 23\.10 or newer/)
})
