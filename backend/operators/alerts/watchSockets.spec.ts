import { expect, it } from 'vitest'
import { SOCKETS_MISSING, watchSockets } from './watchSockets.ts'

function watch() {
  const told: string[] = []
  const alerts = {
    raise: async (code: string, detail: string) => void told.push(`${code}: ${detail.slice(0, 34)}`),
    clear: async (code: string) => void told.push(`clear ${code}`),
  }
  return { told, ...watchSockets(alerts, (error) => expect.unreachable(String(error))) }
}

it('tells the operator when sockets were asked for and none arrived, until one arrives', () => {
  const { told, expired, arrived } = watch()
  expired(11)
  expect(told).toEqual([])
  expired(1)
  expired(0)
  expired(2)
  expect(told).toEqual([12, 14].map((count) => `${SOCKETS_MISSING}: Browsers have asked for ${count} sockets`))
  arrived()
  arrived()
  expect(told.slice(2)).toEqual([`clear ${SOCKETS_MISSING}`])
})

it('says nothing while some arrive', () => {
  const { told, expired, arrived } = watch()
  for (let visit = 0; visit < 9; visit++) {
    expired(3)
    arrived()
  }
  expect(told).toEqual([])
})
