/** Values that describe a span. Bounded ones only: no addresses, names, texts, keys, queries or ids of people. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/** Work that is measured. */
export interface Span {
  /** Adds attributes, and replaces the name if one is given. */
  describe(attributes: SpanAttributes, name?: string): void
}

export interface SpanOptions {
  readonly kind?: 'server' | 'client'
  /** Header that continues the trace of a caller (W3C Trace Context). */
  readonly traceparent?: string | undefined
  /** Id whose trace the span belongs to, unless it continues another. */
  readonly correlationId?: string | undefined
}

/** Records spans. */
export interface Tracer {
  trace<T>(name: string, attributes: SpanAttributes, run: (span: Span) => T, options: SpanOptions): T
  /** Headers that let another service continue the trace. */
  headers(): Readonly<Record<string, string>>
  /** Fields of log lines. */
  fields(): Readonly<Record<string, string>>
}

const NOTHING = Object.freeze({})
const NO_SPAN: Span = { describe() {} }

let current: Tracer | undefined

/** Records spans with a tracer, or none without one. */
export const setTracer = (tracer: Tracer | undefined): void => {
  current = tracer
}

export const isTracing = (): boolean => current !== undefined

/**
 * Runs work as a span of the current trace, until its promise settles. A plain call while traces are off. The texts among the attributes are part
 * of its name.
 * @example traced('append', { category: 'videoTask' }, () => store.append(stream, expected, events)) // span `append videoTask`
 */
export const traced = <T>(
  name: string,
  attributes: SpanAttributes,
  run: (span: Span) => T,
  options: SpanOptions = NOTHING,
): T => (current ? current.trace(name, attributes, run, options) : run(NO_SPAN))

/** Returns the headers that let another service continue the trace. */
export const traceHeaders = (): Readonly<Record<string, string>> => current?.headers() ?? NOTHING

/** Returns the ids of the current span for log lines. */
export const traceFields = (): Readonly<Record<string, string>> => current?.fields() ?? NOTHING

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** Parses a `traceparent` header. Returns undefined if it is invalid, or of a version that is not known. */
export function parseTraceparent(header: string) {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? []
  return traceId && spanId && flags ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 } : undefined
}

/** Returns the correlation id of a request that continues a trace, so that later steps find the trace by it. */
export function correlationOf(traceparent: string): string | undefined {
  if (!current) return undefined
  return parseTraceparent(traceparent)?.traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
