import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  DiagLogLevel,
  diag,
  type Span as RecordedSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import { createLineLimit } from './lineLimit.ts'
import { parseTraceparent, type SpanAttributes, type SpanOptions, setTracer } from './tracing.ts'

export interface TelemetrySettings {
  /** Address that receives the traces (OTLP over HTTP, as JSON). */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly version: string
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT }

/**
 * Sends the spans of `traced` to a collector. The SDK reads the sampler, resource attributes, limits and batches from the standard `OTEL_…`
 * variables. A trace has the correlation id of its request as its id, without the dashes: so workflows and other processes continue it.
 * @returns a function that sends what is left and stops
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function startOpenTelemetry(settings: TelemetrySettings, log: Pick<Logger, 'warn'>): () => Promise<void> {
  reportFailures(log)
  const random = new RandomIdGenerator()
  let nextTraceId: string | undefined
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': settings.serviceName, 'service.version': settings.version }))
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: {
      generateSpanId: random.generateSpanId,
      generateTraceId: () => nextTraceId ?? random.generateTraceId(),
    },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: settings.url, headers: settings.headers }))],
  })
  const tracer = provider.getTracer('kinora', settings.version)
  const contexts = new AsyncLocalStorage<Context>()

  const start = (name: string, attributes: SpanAttributes, { kind, traceparent, correlationId }: SpanOptions) => {
    const remote = parseTraceparent(traceparent ?? '')
    const outer = contexts.getStore() ?? ROOT_CONTEXT
    const parent = remote ? trace.setSpanContext(outer, { ...remote, isRemote: true }) : outer
    nextTraceId = traceIdOf(correlationId)
    const span = tracer.startSpan(name, { attributes: validOf(attributes), ...(kind && { kind: KINDS[kind] }) }, parent)
    nextTraceId = undefined
    return { span, context: trace.setSpan(parent, span) }
  }
  const active = () => trace.getSpanContext(contexts.getStore() ?? ROOT_CONTEXT)

  setTracer({
    trace(name, attributes, run, options) {
      const texts = Object.values(attributes).filter((value) => typeof value === 'string')
      const { span, context } = start([name, ...texts].join(' '), attributes, options)
      const describe = (more: SpanAttributes, newName?: string) => {
        span.setAttributes(validOf(more))
        if (newName) span.updateName(newName)
      }
      return contexts.run(context, () => ended(span, () => run({ describe })))
    },
    headers(): Readonly<Record<string, string>> {
      const { traceId, spanId, traceFlags } = active() ?? {}
      return traceId ? { traceparent: `00-${traceId}-${spanId}-0${traceFlags}` } : {}
    },
    fields(): Readonly<Record<string, string>> {
      const { traceId, spanId } = active() ?? {}
      return traceId && spanId ? { trace_id: traceId, span_id: spanId } : {}
    },
  })
  return async () => {
    setTracer(undefined)
    await provider.shutdown().catch(() => {})
    diag.disable()
  }
}

/** Ends a span when work ends. Of an error, only the name is recorded: the message may have personal data. */
function ended<T>(span: RecordedSpan, run: () => T): T {
  const fail = (error: unknown): never => {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
    span.end()
    throw error
  }
  const succeed = <V>(value: V): V => {
    span.end()
    return value
  }
  try {
    const answer = run()
    return answer instanceof Promise ? (answer.then(succeed, fail) as T) : succeed(answer)
  } catch (error) {
    return fail(error)
  }
}

/** Leaves out what is no number in JSON: a collector refuses a whole batch for one such value. */
const validOf = (attributes: SpanAttributes): SpanAttributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => typeof value === 'string' || Number.isFinite(value)),
  )

function traceIdOf(correlationId: string | undefined): string | undefined {
  const id = correlationId?.replaceAll('-', '') ?? ''
  return /^(?!0{32})[0-9a-f]{32}$/.test(id) ? id : undefined
}

/** Logs what the exporter reports, each line of which repeats while a collector is out of reach. */
function reportFailures(log: Pick<Logger, 'warn'>): void {
  const next = createLineLimit()
  const report = (message: string) => {
    const omitted = next()
    // The SDK writes an error as JSON, with a stack.
    const [, reason = message] = /"message":"([^"]*)/.exec(message) ?? []
    if (omitted !== undefined) log.warn({ reason, omitted }, 'traces not sent')
  }
  const ignore = () => {}
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}
