import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Definition } from '../definition.ts'
import { parseDefinition } from '../parseDefinition.ts'

const FOLDER = path.resolve('content/providers')

/** Reads every definition that Kinora ships. */
export const shippedDefinitions = (): readonly Definition[] =>
  readdirSync(FOLDER).map((file) =>
    parseDefinition(JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')), path.basename(file, '.json')),
  )
