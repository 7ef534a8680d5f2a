import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import Router from '@koa/router'
import Koa from 'koa'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { parse } from 'yaml'
import { eventually } from '#backend/testing/eventually.ts'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { problemDetails } from '../http/problemDetails.ts'
import { serveMetrics } from './metricsRoute.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

const readMetrics = async () => (await fetch(`${kinora.url}/metrics`)).text()
/** Returns the value of the series with this name and these labels. */
const sample = (text: string, name: string, labels: Readonly<Record<string, string>> = {}) => {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const isIt = (line: string) => line.split(/[{ ]/, 1)[0] === name && pairs.every((pair) => line.includes(pair))
  const series = text.split('\n').find(isIt)
  return series === undefined ? undefined : Number(series.slice(series.lastIndexOf(' ')))
}

describe('metrics', () => {
  it('measure a video from the request to the read models, and open sockets', async () => {
    const user = await kinora.newUser()
    const socket = new WebSocket(await user.socketAddress())
    await new Promise((resolve) => socket.once('open', resolve))
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    await eventually(async () => {
      const text = await readMetrics()
      const generated = { method: 'POST', route: '/api/v1/videos/generate', status: '202' }
      expect(sample(text, 'kinora_http_request_seconds_count', generated)).toBe(1)
      expect(sample(text, 'kinora_sockets')).toBe(1)
      expect(sample(text, 'kinora_projection_lag_seconds', { projection: 'videoTasks' })).toBe(0)
      expect(sample(text, 'kinora_events_appended_total', { category: 'videoTask' })).toBeGreaterThan(3)
      expect(sample(text, 'kinora_append_seconds_count', { outcome: 'stored' })).toBeGreaterThan(5)
      const asked = { port: 'video', call: 'create', outcome: 'accepted' }
      expect(sample(text, 'kinora_provider_call_seconds_count', asked)).toBe(1)
      const settled = { activity: 'store', outcome: 'settled' }
      expect(sample(text, 'kinora_activity_seconds_count', settled)).toBe(1)
      expect(sample(text, 'kinora_read_wait_seconds_count')).toBeGreaterThan(0)
      expect(sample(text, 'kinora_open_holds')).toBe(0)
      expect(sample(text, 'kinora_open_tasks', { status: 'Processing' })).toBe(0)
      expect(sample(text, 'kinora_metrics_stale')).toBe(0)
    })
    // Routes are labelled by pattern, because paths contain ids and tokens.
    expect(await readMetrics()).not.toContain(id)
    socket.close()
  })

  it('show stuck tasks, old holds, webhooks, open circuit breakers and operator alerts', async () => {
    const { pool } = kinora.context
    const id = '018f0000-0000-7000-8000-000000000000'
    const twoHours = `now() - interval '2 hours'`
    await pool.query(`insert into open_hold values ('${id}', '${id}', ${twoHours})`)
    await pool.query(`insert into open_task values ('${id}', '${id}', 4, ${twoHours})`)
    await pool.query(
      `insert into video_task (id, user_id, task_type, status, model, routes, duration, resolution, encrypted_prompt, camera_movements,
         prompt_optimizer, credits, credits_consumed, priority, created_at, started_at)
       values ('${id}', '${id}', 'text_to_video', 'Processing', 'm', '[]', 6, '768P', '', '[]', true, 30, 30, 4, ${twoHours}, ${twoHours})`,
    )
    await pool.query(
      `insert into payment_webhook values ('n', 'SALE', 'o', '{"kind":"other"}', now() - interval '10 minutes', null, null)`,
    )
    await pool.query(`insert into circuit values ('minimax', 4, 0, now() + interval '1 minute')`)
    await pool.query(`insert into operator_alert values ('refunds_not_listed', 'empty', now(), now(), 1, null)`)
    const text = await readMetrics()
    expect(sample(text, 'kinora_open_holds_over_an_hour')).toBe(1)
    expect(sample(text, 'kinora_oldest_hold_seconds')).toBeGreaterThan(7_100)
    expect(sample(text, 'kinora_stuck_tasks')).toBe(1)
    expect(sample(text, 'kinora_unstarted_tasks')).toBe(1)
    expect(sample(text, 'kinora_oldest_unstarted_task_age_seconds')).toBeGreaterThan(7_100)
    expect(sample(text, 'kinora_circuit_open', { circuit: 'minimax' })).toBe(1)
    expect(sample(text, 'kinora_operator_alert', { code: 'refunds_not_listed' })).toBe(1)
    for (const table of ['open_hold', 'open_task', 'circuit', 'operator_alert', 'payment_webhook'])
      await pool.query(`delete from ${table}`)
    await pool.query('delete from video_task where id = $1', [id])
    expect(sample(await readMetrics(), 'kinora_stuck_tasks')).toBe(0)
    expect(await readMetrics()).not.toContain('circuit="minimax"')
  })
})

describe('gauges of the machine', () => {
  it('report the roles, the memory limit and the disk of the process', async () => {
    const text = await readMetrics()
    for (const role of ['api', 'projections', 'workflows']) expect(sample(text, 'kinora_role', { role })).toBe(1)
    expect(sample(text, 'kinora_memory_limit_bytes')).toBeGreaterThan(2 ** 28)
    expect(sample(text, 'kinora_memory_limit_bytes')).toBeLessThanOrEqual(os.totalmem())
    expect(sample(text, 'kinora_disk_free_bytes')).toBeGreaterThan(0)
    const ratio = sample(text, 'kinora_disk_free_ratio')
    expect([ratio! > 0, ratio! < 1]).toEqual([true, true])
  })

  it('count the videos and payments that fail', async () => {
    const { pool } = kinora.context
    const before = sample(await readMetrics(), 'kinora_recent_videos')!
    const id = (n: number) => `018f0000-0000-7000-8000-00000000000${n}`
    for (const [n, code] of [null, 'provider_failed', 'content_refused', 'cancelled'].entries())
      await pool.query(
        `insert into task_outcome (id, resolution, duration, ended_at, error_code) values ($1, '768P', 6, now(), $2)`,
        [id(n), code],
      )
    const text = await readMetrics()
    expect(sample(text, 'kinora_recent_videos')).toBe(before + 4)
    expect(sample(text, 'kinora_recent_failed_videos')).toBe(1)
    expect(sample(text, 'kinora_unpaid_subscriptions')).toBe(0)
    await pool.query('delete from task_outcome where id::text like $1', ['018f0000-0000-7000-8000-%'])
  })
})

describe('alerting rules', () => {
  type Rule = { alert: string; expr: string; annotations: { summary: string } }
  const { groups } = parse(readFileSync(path.resolve('docs/operations/alerts.yml'), 'utf8')) as {
    groups: { rules: Rule[] }[]
  }
  const rules = groups.flatMap((group) => group.rules)

  /** Exported only where backups are made. */
  const ELSEWHERE = ['kinora_backup_proven_timestamp_seconds']
  const metricNames = async () => [
    ...[...(await readMetrics()).matchAll(/^# TYPE (\S+) (\w+)/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!],
    ),
    ...ELSEWHERE,
  ]
  const metricsIn = (expr: string) => expr.match(/\b(kinora|process|nodejs)_\w+/g) ?? []

  it('have a dashboard for Grafana that queries existing metrics', async () => {
    const names = await metricNames()
    const file = readFileSync(path.resolve('docs/operations/grafana/kinora.json'), 'utf8')
    const { panels, annotations } = JSON.parse(file) as {
      panels: { title: string; targets?: { expr: string }[] }[]
      annotations: { list: { expr: string }[] }
    }
    const queries = [...panels.flatMap(({ targets = [] }) => targets), ...annotations.list].map(({ expr }) => expr)
    expect(queries.length).toBeGreaterThan(20)
    for (const expr of queries) {
      if (!/\bup\b/.test(expr)) expect(metricsIn(expr), expr).not.toHaveLength(0)
      for (const name of metricsIn(expr)) expect(names, expr).toContain(name)
    }
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
  })

  it('query existing metrics, and each is explained in docs/operations.md', async () => {
    const names = await metricNames()
    const manual = readFileSync(path.resolve('docs/operations.md'), 'utf8')
    expect(rules.length).toBeGreaterThan(15)
    for (const { alert, expr, annotations } of rules) {
      const asked = metricsIn(expr)
      if (!/\bup\b/.test(expr)) expect(asked, alert).not.toHaveLength(0)
      for (const name of asked) expect(names, `${alert} asks for ${name}`).toContain(name)
      expect(annotations.summary.length, alert).toBeGreaterThan(10)
      expect(manual, `docs/operations.md says nothing of ${alert}`).toContain(`**${alert}**`)
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })
})

describe('GET /metrics', () => {
  const asked = async (access: { token?: string; production: boolean }, headers: Record<string, string>) => {
    const read = async () => ({ type: 'text/plain', text: 'figures' })
    const router = new Router()
    serveMetrics(router, { read, token: undefined, ...access })
    const app = new Koa().use(problemDetails(pino({ level: 'silent' }))).use(router.routes())
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`, { headers })
    server.close()
    return answer.status === 200 ? await answer.text() : answer.status
  }

  it('requires the token; without one it is closed in production and to proxied requests', async () => {
    const token = 'a token of some length'
    expect(await asked({ production: true }, {})).toBe(404)
    expect(await asked({ production: false }, {})).toBe('figures')
    expect(await asked({ production: false }, { 'X-Forwarded-For': '192.0.2.1' })).toBe(404)
    expect(await asked({ production: true, token }, { Authorization: `Bearer ${token}` })).toBe('figures')
    for (const Authorization of ['', 'Bearer ', `Bearer ${token}x`, token])
      expect(await asked({ production: false, token }, { Authorization })).toBe(404)
  })
})
