import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { createLineLimit } from '../observability/lineLimit.ts'
import { createRateLimit } from '../sharedRateLimit.ts'
import type { Clock } from '../time.ts'
import { networkAddress } from './fairness/networkAddress.ts'
import { readJson } from './readRawBody.ts'
import { REPORTS_PATH } from './site/pagePolicy.ts'

const REPORTS_PER_MINUTE = 60
const MAX_BYTES = 32_768

/**
 * Creates middleware that receives, counts and logs browsers' CSP violation reports (CSP 3 and Reporting API).
 * @example app.use(createCspReports(log).receive)
 */
export function createCspReports(log: Logger, clock: Clock = Date.now) {
  const limit = createRateLimit(REPORTS_PER_MINUTE, clock)
  const nextLine = createLineLimit(clock)
  let count = 0
  const receive: Middleware = async (ctx, next) => {
    if (ctx.path !== REPORTS_PATH || ctx.method !== 'POST') return next()
    if (!ctx.is('application/csp-report', 'application/reports+json'))
      throw new Rejection('not_json', 'Send reports as application/csp-report or application/reports+json.')
    const network = networkAddress(ctx)
    limit.take(network)
    for (const [index, { page, directive, blocked }] of reportsOf(await readJson(ctx, MAX_BYTES)).entries()) {
      if (index > 0) limit.take(network)
      count++
      const omitted = nextLine()
      if (omitted !== undefined) log.warn({ page, directive, blocked, omitted }, 'csp violation')
    }
    ctx.status = 204
  }
  return { receive, count: () => count }
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Extracts violations from a single `csp-report` object or a Reporting API list. */
function reportsOf(body: unknown) {
  const list: readonly unknown[] = Array.isArray(body)
    ? body.slice(0, REPORTS_PER_MINUTE).map((each) => isFields(each) && each.type === 'csp-violation' && each.body)
    : [isFields(body) && body['csp-report']]
  return list.filter(isFields).map((report) => ({
    page: withoutQuery(report.documentURL ?? report['document-uri']),
    directive: String(
      report.effectiveDirective ?? report['effective-directive'] ?? report['violated-directive'] ?? '',
    ).slice(0, 100),
    blocked: withoutQuery(report.blockedURL ?? report['blocked-uri']),
  }))
}

/** Strips query and fragment, which may contain a token. */
const withoutQuery = (address: unknown) =>
  String(address ?? '')
    .replace(/[?#].*$/s, '')
    .slice(0, 300)
