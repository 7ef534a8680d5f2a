import { createThread } from '../../kernel/threads/callThread.ts'
import type { PrintedDocument } from '../document.contract.ts'
import type { Report } from './drawReport.ts'
import type { PdfFunctions } from './pdfThread.ts'

const inThread = createThread<PdfFunctions>(new URL('./pdfThread.ts', import.meta.url))

/** Returns a document as a PDF. Drawing takes hundreds of milliseconds, so a thread does it. */
export const printDocument = (document: PrintedDocument): Promise<Uint8Array<ArrayBuffer>> =>
  inThread('drawDocument', [document])

/** Returns a report as a PDF. */
export const printReport = (report: Report): Promise<Uint8Array<ArrayBuffer>> => inThread('drawReport', [report])
