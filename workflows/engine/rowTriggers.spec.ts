import { describe, expect, it, vi } from 'vitest'
import { erasureTrigger, mailTrigger } from '../accounts/accountTriggers.ts'
import { type AnyWorkflow, workflowId } from './engine.port.ts'
import { runRowTriggers } from './rowTriggers.ts'

/** Runs triggers on rows that the test sets. */
function triggers(mails: string[] = [], pollMs = 60_000) {
  const halt = new AbortController()
  const started: unknown[][] = []
  const rows = { mails, erasures: [] as string[] }
  let listener = () => {}
  const onError = vi.fn()
  const waiting = vi.fn(async () => [...rows.mails])
  const rowTriggers = [mailTrigger(waiting), erasureTrigger(async () => [...rows.erasures])]
  const start = async (workflow: AnyWorkflow, input: never) => {
    if (workflowId(workflow, input) === 'mail-broken') throw new Error('broken')
    started.push([workflow.type, workflowId(workflow, input), input])
  }
  const engine = { start, signal: () => expect.fail() }
  const unsubscribe = vi.fn()
  const onChange = (changed: () => void) => {
    listener = changed
    return unsubscribe
  }
  const running = runRowTriggers({ engine, triggers: rowTriggers, onChange, signal: halt.signal, onError, pollMs })
  const stop = async () => {
    halt.abort()
    await running
  }
  return { rows, started, waiting, onError, unsubscribe, stop, notify: () => listener() }
}

describe('row triggers', () => {
  it('start workflows for the rows that wait at startup', async () => {
    const { started, stop } = triggers(['m', 'n'])
    await expect.poll(() => started).toHaveLength(2)
    expect(started[1]).toEqual(['deliverMail', 'mail-n', { mailId: 'n' }])
    await stop()
  })

  it('start workflows for new rows when they are notified', async () => {
    const { rows, started, waiting, notify, stop, unsubscribe } = triggers()
    await expect.poll(() => waiting).toHaveBeenCalledOnce()
    rows.erasures.push('u')
    notify()
    await expect.poll(() => started).toEqual([['eraseAccount', 'erase-u', { userId: 'u' }]])
    await stop()
    expect(unsubscribe).toHaveBeenCalledOnce()
  })

  it('start the rows after one that fails, and those of other lists', async () => {
    const { rows, started, onError, notify, stop } = triggers(['broken', 'm'])
    rows.erasures.push('u')
    notify()
    await expect.poll(() => started.map(([, id]) => id)).toEqual(expect.arrayContaining(['mail-m', 'erase-u']))
    expect(onError).toHaveBeenCalledWith(new Error('broken'), 1)
    await stop()
  })

  it('poll without a notification, also after a failed read', async () => {
    const { rows, started, waiting, onError, stop } = triggers([], 20)
    waiting.mockRejectedValueOnce(new Error('away'))
    rows.mails.push('m')
    await expect.poll(() => started.length).toBeGreaterThan(0)
    expect(onError).toHaveBeenCalledOnce()
    await stop()
  })
})
