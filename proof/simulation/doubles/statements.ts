import type { Statement, Statements } from './database.ts'
import { API_STATEMENTS } from './statements/api.ts'
import { PROJECTION_STATEMENTS } from './statements/projections.ts'
import { WORKFLOW_STATEMENTS } from './statements/workflows.ts'

const ALL: Statements = [...PROJECTION_STATEMENTS, ...API_STATEMENTS, ...WORKFLOW_STATEMENTS]
const known = new Map<string, Statement>()

/** Returns the simulation of a statement. @throws if there is none */
export function statementFor(sql: string): Statement {
  const cached = known.get(sql)
  if (cached) return cached
  const text = sql.replaceAll(/\s+/g, ' ').trim()
  const found = ALL.find(([part]) => text.includes(part))
  if (!found) throw new Error(`the simulated database does not know: ${text}`)
  known.set(sql, found[1])
  return found[1]
}
