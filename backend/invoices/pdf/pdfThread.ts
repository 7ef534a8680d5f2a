import { answerCalls } from '../../kernel/threads/answerCalls.ts'
import { drawDocument } from './drawDocument.ts'
import { drawReport } from './drawReport.ts'

export type PdfFunctions = { drawDocument: typeof drawDocument; drawReport: typeof drawReport }

answerCalls({ drawDocument, drawReport })
