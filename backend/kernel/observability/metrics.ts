import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Metrics of this process, including prom-client's defaults for Node. Every label has a bounded set of values. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[], buckets = SECONDS) =>
    new Histogram({ name, help, labelNames, buckets, registers })
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name, help, labelNames, registers })

  return {
    registry,
    gauge: <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    requests: histogram('kinora_http_request_seconds', 'Time until the response to a request starts.', [
      'method',
      'route',
      'status',
    ]),
    appends: histogram('kinora_append_seconds', 'Time until the event store accepts or rejects an append.', [
      'outcome',
    ]),
    events: counter('kinora_events_appended_total', 'Events stored.', ['category']),
    readWaits: histogram(
      'kinora_read_wait_seconds',
      'Time a response waits until the read models include its command; one second at most.',
      [],
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.9, 1.5],
    ),
    calls: histogram('kinora_provider_call_seconds', 'Calls to external services: video, payments, mail, media.', [
      'port',
      'call',
      'outcome',
    ]),
    activities: histogram(
      'kinora_activity_seconds',
      'Attempts at workflow activities.',
      ['activity', 'outcome'],
      [0.01, 0.05, 0.25, 1, 5, 30, 120, 600, 1_800],
    ),
    projected: counter('kinora_projected_events_total', 'Events processed by a read model.', ['projection']),
    sockets: new Gauge({ name: 'kinora_sockets', help: 'Open WebSockets.', registers }),
    forged: counter('kinora_forged_webhooks_total', 'Payment webhooks with an invalid signature.'),
    checkedAccounts: counter(
      'kinora_ledger_accounts_checked_total',
      'Accounts whose balance was compared with their history.',
    ),
  }
}
