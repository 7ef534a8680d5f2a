import { answerCalls } from '../../threads/answerCalls.ts'
import { issueCredential } from './issueCredential.ts'

const functions = { issueCredential }

export type IssuingFunctions = typeof functions

answerCalls(functions)
