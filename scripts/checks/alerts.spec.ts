import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { FULL } from '#backend/testing/fullRun.ts'

const RULES = path.resolve(import.meta.dirname, '../../docs/operations/alerts.yml')
const lacks = spawnSync('promtool', ['--version']).status === 0 ? '' : 'promtool, of the Debian package prometheus'

/** Series a minute apart, in Prometheus' notation: a healthy value, and one that has to fire the alert. */
const CASES: Readonly<Record<string, (isBroken: boolean) => Readonly<Record<string, string>>>> = {
  LedgerDrift: gauge('kinora_ledger_drift_accounts', 0, 1),
  LedgerBroken: gauge('kinora_quarantined_streams{reason="broken"}', 0, 1),
  LedgerHeadOld: gauge('kinora_ledger_head_age_seconds', 3600, 8000),
  NewerData: gauge('kinora_quarantined_streams{reason="newer"}', 0, 2),
  HoldNeverSettled: gauge('kinora_oldest_hold_seconds', 20_000, 26_000),
  HoldsOverAnHour: gauge('kinora_open_holds_over_an_hour', 0, 3),
  WebhooksUnread: gauge('kinora_oldest_webhook_seconds', 60, 1000),
  WebhooksForged: (isBroken) => ({ kinora_forged_webhooks_total: isBroken ? '0+1x90' : '0+0x90' }),
  LedgerUnwatched: (isBroken) => ({ [isBroken ? 'up' : 'kinora_ledger_drift_accounts']: '0x90' }),
  PaymentsFailing: (isBroken) => ({
    kinora_unpaid_subscriptions: isBroken ? '3x90' : '2x90',
    'kinora_open_workflows{workflow="runSubscriptionLifecycle"}': '12x90',
  }),
  // The test begins at the epoch: a day has passed since the last proof, or most of one.
  BackupOld: gauge('kinora_backup_proven_timestamp_seconds', -24 * 3600, -25 * 3600),
  BackupUnknown: (isBroken) => ({ [isBroken ? 'up' : 'kinora_backup_proven_timestamp_seconds']: '0x90' }),
  VideosFailing: (isBroken) => ({
    kinora_recent_failed_videos: isBroken ? '3x90' : '2x90',
    kinora_recent_videos: '12x90',
  }),
  QueueLong: (isBroken) => ({
    'kinora_open_tasks{status="Preparing"}': '60x90',
    'kinora_open_tasks{status="Queueing"}': isBroken ? '60x90' : '30x90',
    'kinora_open_tasks{status="Processing"}': '60x90',
  }),
  TasksStuck: gauge('kinora_stuck_tasks', 0, 1),
  TasksUnstarted: gauge('kinora_oldest_unstarted_task_age_seconds', 2, 60),
  ProviderAway: gauge('kinora_circuit_open{circuit="minimax"}', 0, 1),
  ProviderErrors: share(
    'kinora_provider_call_seconds_count{port="video",outcome="error"}',
    'kinora_provider_call_seconds_count{port="video",outcome="ok"}',
  ),
  OperatorNeeded: gauge('kinora_operator_alert{code="video_key"}', 0, 1),
  NotScraped: (isBroken) => ({ [isBroken ? 'up{job="other"}' : 'up{job="kinora"}']: '1x90' }),
  ProcessDown: gauge('up{job="kinora",instance="api"}', 1, 0),
  RoleMissing: (isBroken) => ({
    'kinora_role{role="api"}': '1x90',
    'kinora_role{role="projections"}': '1x90',
    'kinora_role{role="workflows"}': isBroken ? '1x30' : '1x90',
  }),
  DatabaseAway: gauge('kinora_metrics_stale', 0, 1),
  ProjectionLag: gauge('kinora_projection_lag_seconds{projection="task"}', 1, 60),
  EventsParked: gauge('kinora_parked_events{projection="task"}', 0, 1),
  ReadsLate: (isBroken) => ({
    'kinora_read_wait_seconds_bucket{le="0.9"}': isBroken ? '0+80x90' : '0+100x90',
    kinora_read_wait_seconds_count: '0+100x90',
  }),
  AppendsSlow: (isBroken) => ({
    'kinora_append_seconds_bucket{le="1"}': isBroken ? '0+90x90' : '0+100x90',
    'kinora_append_seconds_bucket{le="2.5"}': '0+100x90',
    'kinora_append_seconds_bucket{le="+Inf"}': '0+100x90',
  }),
  AppendsFail: (isBroken) => ({ 'kinora_append_seconds_count{outcome="error"}': isBroken ? '0+1x90' : '0+0x90' }),
  ActivitiesFail: share(
    'kinora_activity_seconds_count{activity="a",outcome="error"}',
    'kinora_activity_seconds_count{activity="a",outcome="ok"}',
  ),
  MailsWaiting: gauge('kinora_oldest_mail_seconds', 30, 1000),
  RequestsFail: share(
    'kinora_http_request_seconds_count{status="500"}',
    'kinora_http_request_seconds_count{status="200"}',
  ),
  RequestsSlow: (isBroken) => ({
    'kinora_http_request_seconds_bucket{route="/api/v1/works",le="1"}': isBroken ? '0+10x90' : '0+100x90',
    'kinora_http_request_seconds_bucket{route="/api/v1/works",le="5"}': '0+100x90',
    'kinora_http_request_seconds_bucket{route="/api/v1/works",le="+Inf"}': '0+100x90',
  }),
  EventLoopBlocked: gauge('nodejs_eventloop_lag_p99_seconds{instance="api"}', 0.01, 0.8),
  SocketsLost: (isBroken) => ({ kinora_sockets: isBroken ? '100x80 5x10' : '100x90' }),
  SocketsMany: gauge('kinora_sockets', 1_100, 1_300),
  MemoryGrows: (isBroken) => ({
    // The memory of an `api` process in the compose files.
    'process_resident_memory_bytes{instance="api"}': isBroken ? '900000000x90' : '700000000x90',
    'kinora_memory_limit_bytes{instance="api"}': '1073741824x90',
  }),
  DiskLow: (isBroken) => ({
    'kinora_disk_free_bytes{instance="api"}': '20000000000x90',
    'kinora_disk_free_ratio{instance="api"}': isBroken ? '0.08x90' : '0.2x90',
  }),
  CertificateExpires: gauge('kinora_certificate_expiry_timestamp_seconds', 15 * 86_400, 13 * 86_400),
}

/** Long enough for every alert's `for` and range; SocketsLost is seen five minutes after the loss. */
const EVALUATED = '86m'

function gauge(series: string, healthy: number, broken: number) {
  return (isBroken: boolean) => ({ [series]: `${isBroken ? broken : healthy}x90` })
}

/** Failures are 1 % of the calls, or all but 10 %. */
function share(failed: string, succeeded: string) {
  return (isBroken: boolean) => ({
    [failed]: isBroken ? '0+90x90' : '0+1x90',
    [succeeded]: isBroken ? '0+10x90' : '0+99x90',
  })
}

/** A test of promtool: whether an alert fires. */
const testOf = (alert: string, isBroken: boolean) => ({
  interval: '1m',
  input_series: Object.entries(CASES[alert]!(isBroken)).map(([series, values]) => ({ series, values })),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
      eval_time: EVALUATED,
      exp_samples: [{ labels: '{}', value: isBroken ? 1 : 0 }],
    },
  ],
})

const lacksAmtool = spawnSync('amtool', ['--version']).status === 0 ? '' : ' (needs amtool, of prometheus-alertmanager)'

describe('alertmanager.example.yml', () => {
  const file = path.resolve(RULES, '../alertmanager.example.yml')

  it.skipIf(lacksAmtool)(`is a valid configuration${lacksAmtool}`, () => {
    const { status, stdout, stderr } = spawnSync('amtool', ['check-config', file], { encoding: 'utf8' })
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')])
  })

  it.skipIf(lacksAmtool)(`pages for the alerts with severity page${lacksAmtool}`, () => {
    const receiverOf = (severity: string) => {
      const routed = ['config', 'routes', 'test', '--config.file', file, `severity=${severity}`, 'alertname=DiskLow']
      return spawnSync('amtool', routed, { encoding: 'utf8' }).stdout.trim()
    }
    expect([receiverOf('page'), receiverOf('ticket')]).toEqual(['pages', 'tickets'])
  })

  it('inhibits alerts that exist', () => {
    const { inhibit_rules } = parse(readFileSync(file, 'utf8')) as {
      inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[]
    }
    const matchers = inhibit_rules.flatMap((rule) => [...rule.source_matchers, ...rule.target_matchers])
    const names = matchers.flatMap((matcher) => /"(.+)"/.exec(matcher)![1]!.split('|'))
    expect(names.filter((name) => !(name in CASES))).toEqual([])
  })
})

describe('alerts.yml', () => {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] }
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))

  it('has a case for each alert', () => {
    expect(Object.keys(CASES).toSorted()).toEqual(alerts.toSorted())
  })

  const missing = FULL ? lacks : 'npm run test:full'
  const name = `fires each alert on its fault and on nothing less${missing && ` (needs ${missing})`}`
  it.skipIf(missing)(name, { timeout: 600_000 }, () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-alerts-'))
    const file = path.join(folder, 'tests.yml')
    const tests = alerts.flatMap((alert) => [true, false].map((isBroken) => testOf(alert, isBroken)))
    writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')])
  })
})
