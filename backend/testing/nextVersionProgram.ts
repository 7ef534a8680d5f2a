import { PROJECTIONS } from '#projections/all.ts'

// Simulates the next version of Kinora, which rebuilds every read model.
for (const projection of PROJECTIONS) Object.assign(projection, { version: projection.version + 1 })
void import('./minimaxProgram.ts')
