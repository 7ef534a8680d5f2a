import { PROJECTIONS } from '#projections/all.ts'

/** The next version of Kinora: every read model's rows are built anew. */
for (const projection of PROJECTIONS) Object.assign(projection, { version: projection.version + 1 })
await import('./minimaxProgram.ts')
