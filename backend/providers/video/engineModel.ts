import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { canonicalJson } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { type CatalogueModel, ModelFile } from '#backend/tasks/contract.ts'

/**
 * Completes the catalogue entry of a model that an engine reports.
 * @param source what the version stands for besides the entry, such as a graph
 * @throws ZodError naming the fields at fault
 */
export function engineModel(entry: z.input<typeof ModelFile>, source?: unknown): CatalogueModel {
  const model = z.parse(ModelFile, entry)
  const version = createHash('sha256').update(canonicalJson({ model, source: source ?? null }))
  return { ...model, version: version.digest('hex') }
}
