import { expect, it } from 'vitest'
import { createMcp, type McpDeps } from './mcpServer.ts'
import type { ToolCall } from './tools.ts'

interface Listed {
  readonly result: { readonly tools: readonly { readonly name: string; readonly annotations: object }[] }
}

/** Returns what a client is told of each tool, by its name. */
async function readAnnotations() {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const request = new Request('https://kinora.test/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(message),
  })
  const call = { key: { userId: 'ada' } } as unknown as ToolCall
  const text = await (await createMcp({ version: '1' } as McpDeps)(request, call, message)).text()
  const { result } = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as Listed
  return new Map(result.tools.map(({ name, annotations }) => [name, annotations]))
}

it('tells clients that an order may not be repeated, unlike a cancellation', async () => {
  const annotations = await readAnnotations()
  expect(annotations.get('generate')).toMatchObject({ readOnlyHint: false, idempotentHint: false })
  expect(annotations.get('cancel')).toMatchObject({ idempotentHint: true })
})
