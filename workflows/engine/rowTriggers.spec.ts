import { describe, expect, it, vi } from 'vitest'
import { type AnyWorkflow, workflowId } from './engine.port.ts'
import { runRowTriggers, type WaitingRows } from './rowTriggers.ts'

/** Triggers over rows that the test decides. */
function triggers(mails: string[] = [], lookEveryMs = 60_000) {
  const halt = new AbortController()
  const started: unknown[][] = []
  const rows = { mails, erasures: [] as string[], notices: [] as string[] }
  let listener = () => {}
  const onError = vi.fn()
  const waiting = vi.fn(async (): Promise<WaitingRows> => structuredClone(rows))
  const start = async (workflow: AnyWorkflow, input: never) =>
    void started.push([workflow.type, workflowId(workflow, input), input])
  const engine = { start }
  const unsubscribe = vi.fn()
  const onNews = (told: () => void) => {
    listener = told
    return unsubscribe
  }
  const running = runRowTriggers({ engine, waiting, onNews, signal: halt.signal, onError, lookEveryMs })
  const stop = async () => {
    halt.abort()
    await running
  }
  return { rows, started, waiting, onError, unsubscribe, stop, tell: () => listener() }
}

describe('the triggers of rows', () => {
  it('start what waited when the program came up', async () => {
    const { started, stop } = triggers(['m', 'n'])
    await vi.waitFor(() => expect(started).toHaveLength(2))
    expect(started[1]).toEqual(['deliverMail', 'mail-n', { mailId: 'n' }])
    await stop()
  })

  it('start what comes, as soon as they are told', async () => {
    const { rows, started, waiting, tell, stop, unsubscribe } = triggers()
    await vi.waitFor(() => expect(waiting).toHaveBeenCalledOnce())
    rows.erasures.push('u')
    tell()
    await vi.waitFor(() => expect(started).toEqual([['eraseAccount', 'erase-u', { userId: 'u' }]]))
    await stop()
    expect(unsubscribe).toHaveBeenCalledOnce()
  })

  it('look by themselves, also after the database was away', async () => {
    const { rows, started, waiting, onError, stop } = triggers([], 20)
    waiting.mockRejectedValueOnce(new Error('away'))
    rows.mails.push('m')
    await vi.waitFor(() => expect(started.length).toBeGreaterThan(0))
    expect(onError).toHaveBeenCalledOnce()
    await stop()
  })
})
