import { connect } from 'node:net'
import { seeded } from '#backend/testing/seeded.ts'
import type { Attacker } from './attacker.ts'
import { FORMER, forms } from './structures/forms.ts'
import type { MakeStructure, Structure } from './structures/structure.ts'
import { json, reports, webhooks } from './structures/texts.ts'
import { garbage, heads, pipelines, webSockets } from './structures/wires.ts'
import type { Account } from './target.ts'

/** Parsers that face strangers. Forms twice, because most code is behind them. */
const FAMILIES: Readonly<Record<string, MakeStructure>> = {
  forms,
  json,
  heads,
  'more forms': forms,
  pipelines,
  webSockets,
  reports,
  webhooks,
  garbage,
}
/** Structures of an account, below the limit of 60 uploads an hour. */
const PER_ACCOUNT = 50
/** Longest time until a connection is closed. A picture takes a second. */
const LIMIT_MS = 20_000
/** Turns that the server has for a request that it may be unable to answer, before the client ends it. */
const TURNS = 3
const DOCUMENTED_503 = /"code":"(?:uploads_busy|image_timeout)"/

/** Sends requests of random structure. After each, the process must be the same, and must have logged no error. */
export async function structures(attacker: Attacker, count: number, seed: number): Promise<string> {
  const { target, find } = attacker
  const random = seeded(seed)
  // The first page of a share loads what renders it, once in the life of a process.
  await fetch(`${target.url}/v/x`).then((page) => page.text())
  await target.turns()
  const before = await target.identity()
  const names = Object.keys(FAMILIES)
  let as = await newSender(attacker)
  target.newErrors()
  for (let n = 0; n < count; n++) {
    if (n % PER_ACCOUNT === PER_ACCOUNT - 1) as = await newSender(attacker)
    const family = n < FORMER.length ? 'former' : names[n % names.length]!
    const make = FORMER[n] ?? FAMILIES[family]!
    const token = family === 'webSockets' ? await tokenOf(attacker, as) : ''
    const network = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
    const structure = make(random, { network, cookie: as.cookie, key: as.key, token })
    const what = `structure ${n} (${family}: ${structure.what})`
    try {
      const answer = await send(attacker, structure)
      for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
        attacker.count(Number(status))
        if (Number(status) >= 500 && !DOCUMENTED_503.test(answer)) find(`${what}: ${status}`)
      }
      const { pid, startedAt } = await target.identity()
      if (pid !== before.pid || startedAt !== before.startedAt) find(`${what}: the process is another one`)
    } catch (error) {
      throw new Error(`${what}: ${(error as Error).message}`)
    }
    for (const line of target.newErrors()) find(`${what}: ${line.slice(0, 300)}`)
  }
  return `${count} structures`
}

/** Makes an account with an API key. */
async function newSender(attacker: Attacker): Promise<Account & { readonly key: string }> {
  const account = await attacker.target.newAccount()
  const order = { name: 'Structures', scopes: ['videos:write', 'videos:read'], password: account.password }
  const { key } = (await attacker.call('POST', '/keys', account, order)).json() as { key: string }
  return { ...account, key }
}

const tokenOf = async (attacker: Attacker, as: Account) =>
  ((await attacker.call('POST', '/ws/token', as)).json() as { token: string }).token

/** Sends a structure. Returns what the server answered until the connection was closed. @throws Error it stays open */
async function send({ target }: Attacker, { pieces, ending }: Structure): Promise<string> {
  const { hostname, port } = new URL(target.url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true })
  let answer = ''
  const answered = new Promise<void>((resolve) =>
    socket.on('data', (text) => {
      answer += text.toString('latin1')
      resolve()
    }),
  )
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {}).on('end', () => socket.end())
  const late = Promise.withResolvers<never>()
  const limit = setTimeout(() => late.reject(new Error('the connection stays open')), LIMIT_MS)
  try {
    for (const piece of pieces) {
      if (socket.destroyed) break
      socket.write(piece)
      await target.identity()
    }
    if (ending === 'answer') await Promise.race([answered, closed, late.promise])
    else for (let turn = 0; turn < TURNS && answer === ''; turn++) await target.identity()
    // Node leaves a connection open whose reset comes after its end.
    if (ending === 'reset' && !socket.writableEnded) socket.resetAndDestroy()
    else if (ending !== 'reset') {
      socket.end()
      await Promise.race([closed, late.promise])
    }
    return answer
  } finally {
    clearTimeout(limit)
    socket.destroy()
  }
}
