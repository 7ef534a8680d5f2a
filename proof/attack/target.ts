import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { copyCluster } from '#backend/testing/clusterTemplate.ts'
import type { Turn } from './turns.ts'

const PROGRAM = path.join(import.meta.dirname, 'attackedProgram.ts')

/** An account whose name, address and texts contain `canary-<n>-`, which no other user may see. */
export interface Account {
  readonly n: number
  readonly id: string
  readonly email: string
  readonly password: string
  /** Session cookies, as the value of a Cookie header. */
  readonly cookie: string
  readonly isVerified: boolean
}

/** What tells a process from the one after it. */
export interface Identity {
  readonly pid: number
  readonly startedAt: number
}

export type Order =
  | { readonly kind: 'turns' }
  | { readonly kind: 'identity' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'session'; readonly userId: string }
  | { readonly kind: 'accounts'; readonly count: number; readonly isVerified: boolean }
export interface Reply {
  readonly identity?: Identity
  readonly turns?: readonly Turn[]
  readonly accounts?: readonly Account[]
  readonly cookie?: string
}

/** Log lines that only an operator should cause, or a fault. */
const ERROR = /"level":[56]0/
/** Credits of a verified account: four videos. */
export const CREDITS = 120
export const OPERATOR = { username: 'olga', password: 'a password for olga' }

type Rates = Readonly<{ SESSION_RATE: string; NETWORK_RATE: string }>
/** Rates that hide nothing from an attack that has only a few accounts and addresses. */
const NO_LIMITS: Rates = { SESSION_RATE: '1000000', NETWORK_RATE: '1000000' }
/** The defaults of production. */
export const PRODUCTION_RATES: Rates = { SESSION_RATE: '40', NETWORK_RATE: '40' }

export type Target = Awaited<ReturnType<typeof startTarget>>

/** Starts the attacked Kinora in its own process, with a new data folder. @param given settings beside those of the attack */
export async function startTarget(given: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-attacked-'))
  await copyCluster(path.join(folder, 'postgres'))
  const operator = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  const settings = {
    NODE_ENV: 'test',
    PORT: '0',
    LOG_LEVEL: 'error',
    DATA_DIR: folder,
    TRUSTED_PROXIES: '1',
    ...NO_LIMITS,
    ...given,
  }
  const child = fork(PROGRAM, {
    env: { ...process.env, ...settings, ...operator },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const errors: string[] = []
  let seen = 0
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => errors.push(String(text)))
  const waiting = new Map<number, PromiseWithResolvers<Reply>>()
  const ready = Promise.withResolvers<string>()
  let isStopping = false
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let ended: Error | undefined
  void gone.then(() => {
    const error = new Error(`the attacked process has ended: ${errors.join('').slice(-2_000)}`)
    ended = error
    ready.reject(error)
    for (const { reject } of waiting.values()) reject(error)
  })
  child.on('message', (message: { url?: string; id?: number; reply?: Reply; error?: string }) => {
    if (message.url) return ready.resolve(message.url)
    const { resolve, reject } = waiting.get(message.id!)!
    waiting.delete(message.id!)
    if (message.error) reject(new Error(message.error))
    else resolve(message.reply!)
  })
  let orders = 0
  const ask = (order: Order) => {
    if (ended) return Promise.reject(ended)
    const reply = Promise.withResolvers<Reply>()
    waiting.set(++orders, reply)
    // A process that has ended is found by its exit.
    child.send({ id: orders, order }, () => {})
    return reply.promise
  }
  const url = await ready.promise
  return {
    url,
    api: `${url}/api/v1`,
    /** Creates accounts through the services. */
    newAccounts: async (count: number, isVerified = true) =>
      (await ask({ kind: 'accounts', count, isVerified })).accounts!,
    newAccount: async (isVerified = true) => (await ask({ kind: 'accounts', count: 1, isVerified })).accounts![0]!,
    /** Signs the operator in, without a step-up. Returns the cookie. */
    newOperator: async () => (await ask({ kind: 'operator' })).cookie!,
    /** Signs a user in, without a step-up. Returns the cookies. */
    newSession: async (userId: string) => (await ask({ kind: 'session', userId })).cookie!,
    /** Returns the log lines at `error` and `fatal` since the last call. */
    newErrors() {
      const lines = errors.slice(seen)
      seen = errors.length
      return lines.filter((line) => ERROR.test(line))
    },
    identity: async () => (await ask({ kind: 'identity' })).identity!,
    /** Returns the longest turns of the event loop since the last call. */
    turns: async () => (await ask({ kind: 'turns' })).turns!,
    /** Lines that the process has logged as errors. */
    errors,
    hasEnded: () => child.exitCode !== null && !isStopping,
    async stop() {
      isStopping = true
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
