import { threadId } from 'node:worker_threads'
import { type Ask, answerCalls } from '../answerCalls.ts'

const functions = {
  sum: (a: number, b: number) => a + b,
  fail: (message: string): never => {
    throw new Error(message)
  },
  ask: async (question: string, ask: Ask) => `the answer is ${await ask(question)}`,
  exit: (code: number) => process.exit(code),
  threadId: () => threadId,
}

export type SumFunctions = typeof functions

answerCalls(functions)
