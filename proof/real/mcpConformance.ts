import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { startTestKinora } from '#backend/testing/testKinora.ts'
import { type Part, type PartContext, Skipped } from './part.ts'

const run = promisify(execFile)
const PACKAGE = '@modelcontextprotocol/conformance'
const VERSION = '0.1.16'

/** The conformance suite of the Model Context Protocol, for the revisions of 2025. It has none for that of 2026 yet. */
export const MCP_PARTS: readonly Part[] = [{ name: 'mcp-conformance', run: tryConformance }]

/** What Kinora is tried with. The second and third try nothing where there is no stream to open. */
const PASSES = [
  ...['server-initialize', 'ping', 'tools-list', 'server-sse-polling', 'server-sse-multiple-streams'],
  'dns-rebinding-protection',
]
/** Scenarios that call tools of the suite's own example server, such as `test_simple_text`. */
const NEEDS_ITS_TOOLS = [
  ...['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'with-logging', 'error', 'with-progress'],
  ...['sampling', 'elicitation'],
].map((name) => `tools-call-${name}`)
const NEEDS_ITS_SCHEMAS = ['json-schema-2020-12', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums']
/** Scenarios of features that Kinora does not declare. */
const NOT_OFFERED = [
  ...['logging-set-level', 'completion-complete', 'resources-list', 'resources-read-text', 'resources-read-binary'],
  ...['resources-templates-read', 'resources-subscribe', 'resources-unsubscribe', 'prompts-list', 'prompts-get-simple'],
  ...['prompts-get-with-args', 'prompts-get-embedded-resource', 'prompts-get-with-image'],
]

async function tryConformance({ cache }: PartContext): Promise<string> {
  const folder = path.join(cache, `mcp-conformance-${VERSION}`)
  const program = path.join(folder, 'node_modules', PACKAGE, 'dist/index.js')
  if (!existsSync(program))
    await run('npm', [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `${PACKAGE}@${VERSION}`,
    ]).catch((error: Error) => {
      throw new Skipped(`${PACKAGE} cannot be had: ${error.message.split('\n')[0]}`)
    })
  const kinora = await startTestKinora()
  const proxy = await startProxy(kinora.url, await keyIn(kinora))
  try {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
    const suite = ['server', '--url', url, '--suite', 'all']
    const { stdout } = await run(process.execPath, [program, ...suite], { maxBuffer: 1e8 }).catch(
      (error: { stdout: string }) => error,
    )
    const results = [...stdout.matchAll(/^([✓✗]) ([\w-]+): /gmu)]
    const named = (mark: string) => results.flatMap(([, of, name]) => (of === mark ? [name] : [])).sort()
    assert.deepEqual(named('✓'), [...PASSES].sort())
    assert.deepEqual(named('✗'), [...NEEDS_ITS_TOOLS, ...NEEDS_ITS_SCHEMAS, ...NOT_OFFERED].sort())
  } finally {
    proxy.close()
    await kinora.close()
  }
  return VERSION
}

async function keyIn({ newUser, services }: Awaited<ReturnType<typeof startTestKinora>>): Promise<string> {
  const scopes = ['videos:read' as const, 'videos:write' as const, 'account:read' as const]
  const order = { name: 'Suite', scopes, expires_in_days: null }
  return (await services.apiKeys.create((await newUser()).userId, order)).key
}

/** Starts a proxy that adds the key, which the suite cannot send. */
async function startProxy(url: string, key: string): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${key}` }
    const passed = http.request(url + request.url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(passed)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}
