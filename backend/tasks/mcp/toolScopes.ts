import type { Scope } from '../../kernel/http/contract.ts'

/** What a key must be allowed to do for each tool of `/mcp`. */
export const TOOL_SCOPES = {
  list_models: 'videos:read',
  quote: 'videos:write',
  generate: 'videos:write',
  get: 'videos:read',
  list: 'videos:read',
  cancel: 'videos:write',
  balance: 'account:read',
} as const satisfies Record<string, Scope>

export type ToolName = keyof typeof TOOL_SCOPES

export const isTool = (name: unknown): name is ToolName => typeof name === 'string' && Object.hasOwn(TOOL_SCOPES, name)
