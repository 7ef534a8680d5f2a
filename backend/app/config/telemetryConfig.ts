import { trimEnd } from '../../kernel/trimEnd.ts'
import type { Environment } from './environment.ts'

/** A collector of OpenTelemetry. */
export interface TelemetryConfig {
  /** Address that receives traces. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/** Reads the standard variables of OpenTelemetry. Returns undefined if no traces are wanted. */
export function readTelemetry(env: Environment): TelemetryConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = env
  const url = traces ?? (base && `${trimEnd(base, '/')}/v1/traces`)
  if (!url || env.OTEL_SDK_DISABLED === 'true') return undefined
  const pairs = (env.OTEL_EXPORTER_OTLP_HEADERS ?? '').split(',').map((pair) => pair.trim().split(/=(.*)/s))
  const headers = Object.fromEntries(pairs.flatMap(([name, value]) => (name && value ? [[name, decoded(value)]] : [])))
  return { url, headers, serviceName: env.OTEL_SERVICE_NAME }
}

/** Returns a value of a list of headers, which may be percent-encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
