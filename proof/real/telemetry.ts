import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startOtlpDouble } from '#backend/kernel/observability/testing/otlpDouble.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { asSkipped, goProgram, goVersion } from './goProgram.ts'
import { startKinora, walkJourney } from './journey.ts'
import type { Part, PartContext } from './part.ts'
import { startServer } from './server.ts'

const BUILDER = 'go.opentelemetry.io/collector/cmd/builder'
const COLLECTOR = 'go.opentelemetry.io/collector'

/** A collector of OpenTelemetry, which hands on what it has understood. */
export const TELEMETRY_PARTS: readonly Part[] = [{ name: 'telemetry: OpenTelemetry Collector', run: tryTelemetry }]

async function tryTelemetry({ cache, folder }: PartContext): Promise<string> {
  const { program, version } = buildCollector(cache)
  const taken = await startOtlpDouble()
  const port = await freePort()
  const config = path.join(folder, 'collector.json')
  const pipelines = { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } }
  writeFileSync(
    config,
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
      exporters: { otlp_http: { endpoint: taken.url, encoding: 'json', compression: 'none' } },
      service: { pipelines, telemetry: { metrics: { level: 'none' } } },
    }),
  )
  {
    await using _ = await startServer([program, '--config', config], port)
    await using kinora = await startKinora({
      DATA_DIR: path.join(folder, 'data'),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_SERVICE_NAME: 'kinora-real',
      LOG_LEVEL: 'warn',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=proof',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    })
    await walkJourney(kinora)
    const spansOf = (name: string) => taken.spans.filter((span) => span.name === name)
    for (const name of ['POST /api/v1/videos/generate', 'command videoTask Succeed', 'append videoTask', 'project'])
      for (let left = 300; spansOf(name).length === 0; left--) {
        assert.ok(left > 0, `${name} has not arrived, of ${taken.spans.length} spans. ${kinora.errors()}`)
        await delay(200)
      }
    const [request] = spansOf('POST /api/v1/videos/generate')
    const trace = taken.spans.filter(({ traceId }) => traceId === request!.traceId).map(({ name }) => name)
    for (const name of ['command creditAccount HoldCredits', 'activity render', 'call video demo create'])
      assert.ok(trace.includes(name), `${name} is in the trace of its request: ${trace.join(', ')}`)
    const resource = { 'service.name': 'kinora-real', 'deployment.environment.name': 'proof' }
    for (const [name, value] of Object.entries(resource)) assert.equal(taken.resources[0]![name], value)
  }
  taken.close()
  return version
}

/** Builds a collector that takes OTLP over HTTP, with the project's own builder. */
function buildCollector(cache: string) {
  const builder = goProgram(cache, BUILDER)
  const version = goVersion(builder, BUILDER)
  const output = path.join(cache, `otelcol-${version}`)
  const program = path.join(output, 'otelcol')
  if (existsSync(program)) return { program, version }
  asSkipped(() => {
    const providers = ['envprovider', 'fileprovider'].map((name) => `${COLLECTOR}/confmap/provider/${name}`)
    const newest = ['list', '-m', '-f', '{{.Path}} {{.Version}}', ...providers.map((name) => `${name}@latest`)]
    const found = execFileSync('go', newest, { cwd: cache, encoding: 'utf8' }).trim().split('\n')
    const manifest = {
      dist: { name: 'otelcol', output_path: output },
      receivers: [{ gomod: `${COLLECTOR}/receiver/otlpreceiver v${version}` }],
      exporters: [{ gomod: `${COLLECTOR}/exporter/otlphttpexporter v${version}` }],
      providers: found.map((gomod) => ({ gomod })),
    }
    const file = path.join(cache, 'otelcol.json')
    writeFileSync(file, JSON.stringify(manifest))
    execFileSync(builder, ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  })
  return { program, version }
}
