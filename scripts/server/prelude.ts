import { nameSourceLines } from '#backend/kernel/observability/sourceLines.ts'

// The first module of each program of the bundle.
nameSourceLines(import.meta.dirname)
