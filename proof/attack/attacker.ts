import { documented } from '#backend/testing/operations.ts'
import type { DescribedOperation } from './describedOperations.ts'
import { type Finding, newSection, type Section } from './report.ts'
import type { Account, Target } from './target.ts'

/** Error codes of the documented 503 of a full upload queue, and of what an operator has paused. */
const ALLOWED_503 = new Set([
  ...['uploads_busy', 'image_timeout'],
  ...['registration_paused', 'generation_paused', 'model_paused', 'till_paused'],
])

export interface Sent {
  readonly method: string
  /** Path relative to the API, with its query. */
  readonly path: string
  readonly body?: BodyInit | null
  readonly headers?: Readonly<Record<string, string>>
  /** Whose session the request carries; undefined for none. */
  readonly as?: Account
  readonly operation?: DescribedOperation
  /** Whether the answer may contain any user's data, because the operator asked. */
  readonly isOperator?: boolean
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The error code; undefined for other answers. */
  readonly code: string | undefined
  readonly json: () => unknown
}

const isPathOf = ({ path }: DescribedOperation, called: string) => {
  const [parts, others] = [path.split('/'), called.split('?', 1)[0]!.split('/')]
  return parts.length === others.length && parts.every((part, at) => part.startsWith('{') || part === others[at])
}

/** Returns the message of the newest error in the log of the process. */
const causeOf = ({ errors }: Target) => /"message":"([^"]{0,200})/.exec(errors.at(-1) ?? '')?.[1] ?? ''

export type Attacker = ReturnType<typeof createAttacker>

/** Sends requests to a target and checks every answer: documented, no server error, no data of another user. */
export function createAttacker(
  target: Target,
  operations: readonly DescribedOperation[],
  print: (line: string) => void = () => {},
) {
  const findings: Finding[] = []
  const sections: Section[] = []
  const succeeded = new Set<string>()
  let section = newSection('')
  let addresses = 0

  const find = (what: string) => {
    if (findings.some((other) => other.what === what)) return
    findings.push({ attack: section.attack, what })
    print(`  ${what}`)
  }
  /** Returns an address of its own for each account, because limits also count per network. */
  const addressOf = (as: Account | undefined) => {
    const n = as ? as.n : 100_000 + (addresses++ % 1_000)
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  }

  const count = (status: number) => {
    section.requests++
    section.statuses[status] = (section.statuses[status] ?? 0) + 1
  }

  /** Checks an answer and counts it. `what` names the request in findings. */
  const check = async (
    what: string,
    { as, method, path, isOperator, operation }: Sent,
    response: Response,
  ): Promise<Answer> => {
    const { status, headers } = response
    count(status)
    await documented(target.api, method, path, response).catch((error: Error) => find(error.message.slice(0, 200)))
    const text = await response.text()
    const isProblem = headers.get('content-type')?.includes('problem+json')
    const code = isProblem ? (JSON.parse(text) as { code: string }).code : undefined
    if (status >= 500 && !(status === 503 && ALLOWED_503.has(code ?? '')))
      find(`${what}: ${status} ${code ?? ''} ${causeOf(target)}`)
    if (!isOperator)
      for (const [, n] of text.matchAll(/canary-(\d+)-/g))
        if (Number(n) !== as?.n) find(`${what}: answer ${status} contains data of another user`)
    const answered = operation ?? operations.find((each) => each.method === method && isPathOf(each, path))
    if (answered && status < 400) succeeded.add(answered.name)
    return { status, text, headers, code, json: () => JSON.parse(text) as unknown }
  }

  return {
    target,
    findings,
    sections,
    succeeded,
    find,
    /** Counts an answer to a request that the attack sends itself. */
    count,

    /** Runs an attack as a section of the report. */
    async run(name: string, attack: () => Promise<string | undefined>): Promise<void> {
      section = newSection(name)
      sections.push(section)
      await target.turns()
      const start = Date.now()
      try {
        section.note = (await attack()) ?? ''
      } catch (error) {
        find(`attack broke off: ${(error as Error).stack?.slice(0, 600)}`)
      }
      section.seconds = (Date.now() - start) / 1_000
      if (target.hasEnded()) return find(`the process has ended: ${target.errors.join('').slice(-500)}`)
      section.longestTurn = (await target.turns())[0] ?? null
    },

    async send(sent: Sent): Promise<Answer> {
      const { method, path, body = null, as, headers = {} } = sent
      const init = {
        method,
        redirect: 'manual',
        body,
        headers: { ...(as ? { cookie: as.cookie } : {}), 'x-forwarded-for': addressOf(as), ...headers },
        signal: AbortSignal.timeout(60_000),
      } as const
      return check(
        `${method} ${sent.operation?.path ?? path.slice(0, 120)}`,
        sent,
        await fetch(target.api + path, init),
      )
    },

    /** Sends a JSON body. */
    call(
      method: string,
      path: string,
      as?: Account,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      return this.send({ method, path, as, ...json, headers: { ...type, ...headers } })
    },
  }
}
