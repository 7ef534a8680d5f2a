import * as z from 'zod/mini'
import { Definition } from './definition.ts'

/** zod/mini explains nothing by itself. */
const { localeError } = z.locales.en()

/** Parses the JSON of a definition's file. @throws Error naming the fields at fault */
export function parseDefinition(value: unknown, fileName: string): Definition {
  const read = z.safeParse(Definition, value, { error: localeError })
  if (!read.success) throw new Error(z.prettifyError(read.error))
  if (read.data.name !== fileName) throw new Error(`name must be ${fileName}, as the file`)
  return read.data
}
