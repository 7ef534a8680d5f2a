import { answerCalls } from '../../kernel/threads/answerCalls.ts'
import { drawDocument } from './drawDocument.ts'

export type PdfFunctions = { drawDocument: typeof drawDocument }

answerCalls({ drawDocument })
