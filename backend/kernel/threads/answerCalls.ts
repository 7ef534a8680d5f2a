import { parentPort } from 'node:worker_threads'
import { must } from '../must.ts'
import type { MessageFromThread, MessageToThread, ThreadFunctions } from './callThread.ts'

/** Asks the caller of a function. Resolves with its answer. */
export type Ask = (question: unknown) => Promise<unknown>

/**
 * Runs functions for the thread that started this one. Each receives the arguments of its call, and after them a
 * function that asks the caller.
 */
export function answerCalls(functions: ThreadFunctions): void {
  const questions = new Map<number, (answer: unknown) => void>()
  const parent = must(parentPort, 'parent port')
  const post = (message: MessageFromThread) => parent.postMessage(message)
  parent.on('message', async (message: MessageToThread) => {
    const { id } = message
    if (message.type === 'told') return questions.get(id)?.(message.answer)
    const ask: Ask = (question) =>
      new Promise((resolve) => {
        questions.set(id, resolve)
        post({ id, type: 'ask', question })
      })
    try {
      const run = functions[message.name] as (...args: unknown[]) => unknown
      post({ id, type: 'done', result: await run(...message.args, ask) })
    } catch (error) {
      post({ id, type: 'failed', error: error as Error })
    } finally {
      questions.delete(id)
    }
  })
}
