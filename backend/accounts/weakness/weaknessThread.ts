import { answerCalls } from '../../kernel/threads/answerCalls.ts'
import { passwordWeakness } from './passwordWeakness.ts'

const functions = { passwordWeakness }

export type WeaknessFunctions = typeof functions

answerCalls(functions)
