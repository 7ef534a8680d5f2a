import { type Ask, answerCalls } from '../answerCalls.ts'

const functions = {
  sum: (a: number, b: number) => a + b,
  fail: (): never => {
    throw new TypeError('no sum')
  },
  ask: async (question: string, ask: Ask) => `${question} ${await ask(question)}`,
  end: (code: number): never => process.exit(code),
}

export type ExampleFunctions = typeof functions

answerCalls(functions)
