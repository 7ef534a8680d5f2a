import { expect, it } from 'vitest'
import { exitAfter } from './exitAfter.ts'

/** Returns the codes with which the process ended, and what it printed. */
async function endAfter(stopped: Promise<void>) {
  const codes: number[] = []
  const printed: unknown[] = []
  await exitAfter(stopped, 0, { exit: (code) => codes.push(code), print: (error) => printed.push(error) })
  return { codes, printed }
}

it('ends a process that has stopped with its code', async () => {
  expect(await endAfter(Promise.resolve())).toEqual({ codes: [0], printed: [] })
})

it('ends a process that cannot stop with 1 and the reason, and not with an uncaught error', async () => {
  const gone = new Error('the database is gone')
  expect(await endAfter(Promise.reject(gone))).toEqual({ codes: [1], printed: [gone] })
})
