import { seeded } from '#backend/testing/seeded.ts'
import type { Attacker, Sent } from './attacker.ts'
import type { DescribedOperation } from './describedOperations.ts'
import { type Known, oddValue, pick, type Random, validObject, validValue, withFault } from './generate.ts'
import type { Account } from './target.ts'
import { pictureBytes } from './work.ts'

const AT_ONCE = 12
/** Calls of an account per minute stay far below its limit if this many take turns. */
const ACCOUNTS = 60
const REMEMBERED = 8

interface Player {
  account: Account
  known: Map<string, unknown[]>
}

const HEADERS = [
  'accept',
  'accept-language',
  'range',
  'if-none-match',
  'origin',
  'content-encoding',
  'idempotency-key',
  'x-correlation-id',
]

const PAUSES = 'POST /desk/installation'
const RUNNING = {
  ...{ generation_paused: false, registration_paused: false, paused_models: [], paused_tills: [] },
  ...{ banner: null, open_tasks: null, figures: null, blocked_words: [] },
}

/** Undoes what a request has paused, which would hide what is behind it. */
async function resume(attacker: Attacker, cookie: string): Promise<void> {
  const body = { reason: 'the attack goes on', changes: RUNNING }
  const { status } = await attacker.call('POST', '/desk/installation', undefined, body, { cookie })
  if (status !== 200) attacker.find(`the settings of the installation are restored with ${status}`)
}

/** Sends valid and nearly valid requests to all operations in turn. */
export async function fuzz(
  attacker: Attacker,
  operations: readonly DescribedOperation[],
  requests: number,
  seed: number,
) {
  const random = seeded(seed)
  const players = (await attacker.target.newAccounts(Math.min(ACCOUNTS, 10 + requests / 100))).map(newPlayer)
  let operator = await attacker.target.newOperator()
  let replaced = 0
  let next = 0
  const worker = async () => {
    while (next < requests && !attacker.target.hasEnded()) {
      const operation = operations[next++ % operations.length]!
      const player = pick(random, players)
      const others = pick(random, players)
      // A tenth of the requests use ids of other accounts.
      const known = random() < 0.1 ? new Map([...player.known, ...idsOf(others.known)]) : player.known
      const sent = requestOf(random, operation, known)
      if (operation.access === 'operator' || operation.path.startsWith('/analytics')) {
        const cookie = operation.access === 'operator' || random() < 0.1 ? operator : ''
        const answer = await attacker.send({ ...sent, headers: { ...sent.headers, cookie }, isOperator: true })
        if (operation.name === PAUSES && answer.status === 200) await resume(attacker, operator)
        if (answer.status === 401 && operation.access === 'operator') operator = await attacker.target.newOperator()
        continue
      }
      const answer = await attacker.send({ ...sent, as: player.account })
      remember(player.known, answer.text)
      // Accounts that were deleted, signed out or throttled would hide what is behind them.
      const isUsedUp = answer.status === 429 || (answer.status === 401 && operation.access === 'user')
      if (isUsedUp || (operation.path === '/auth/logout' && answer.status === 200)) {
        const at = players.indexOf(player)
        if (at >= 0) players[at] = newPlayer(await attacker.target.newAccount())
        replaced++
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return `${players.length + replaced} accounts`
}

const idsOf = (known: Known) => [...known].filter(([name]) => /id$|url$/.test(name))

const newPlayer = (account: Account): Player => {
  const own = { email: account.email, password: account.password, current_password: account.password }
  const known = new Map<string, unknown[]>(Object.entries(own).map(([name, value]) => [name, [value]]))
  known.set('table', ['days.csv', 'users.csv', 'visits.csv', 'x']).set('passkey', ['x'])
  for (const name of ['from', 'to']) known.set(name, ['2026-11-01', '2026-11-22', '2026-11-20T10:00:00Z'])
  known.set('new_password', ['a better horse', 'short']).set('model', ['MiniMax-Hailuo-02']).set('resolution', ['768P'])
  known.set('camera_movements', [[]]).set('duration', [6]).set('task_type', ['text_to_video'])
  known.set('first_frame_image_url', [null]).set('email', [account.email, `new-${account.n}@kinora.test`])
  return { account, known }
}

/** Keeps ids, tokens and other texts of an answer under the names of their fields. */
function remember(known: Map<string, unknown[]>, text: string): void {
  for (const [, name = '', value] of text.matchAll(
    /"(id|subscription_id|image_url|token|secret|ticket)":"([^"]{1,300})"/g,
  )) {
    const field = name === 'image_url' ? 'first_frame_image_url' : name
    const id = value?.startsWith('/') ? value.split('/').at(-1) : value
    known.set(field, [value, ...(known.get(field) ?? [])].slice(0, REMEMBERED))
    if (field !== 'id') known.set('id', [id, ...(known.get('id') ?? [])].slice(0, REMEMBERED))
  }
}

function requestOf(random: Random, operation: DescribedOperation, known: Known): Sent {
  const isFaulty = random() < 0.5
  const odd = () => isFaulty && random() < 0.5
  const query = new URLSearchParams()
  let path = operation.path
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (place === 'header') continue
    const value = odd() ? oddValue(random) : validValue(random, name, schema, known)
    const text = (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed().slice(0, 1_500)
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(text) || '%20')
    else if (required || random() < 0.6) query.append(name, text)
  }
  if (odd())
    query.append(pick(random, ['page', 'x', '__proto__', 'page[]']), String(pick(random, ['1', '-1', '%00', 'a'])))
  const headers: Record<string, string> = {}
  if (operation.parameters.some((parameter) => parameter.in === 'header') && random() < 0.5)
    headers['idempotency-key'] = `key-${Math.floor(random() * 50)}`
  if (odd()) headers[pick(random, HEADERS)] = headerValue(random)
  const sent = { method: operation.method, path: query.size > 0 ? `${path}?${query}` : path, operation, headers }
  if (operation.isUpload) return { ...sent, body: uploadOf(random) }
  if (!operation.body) return sent
  const body = validObject(random, operation.body, known)
  const text = JSON.stringify(isFaulty ? withFault(random, body) : body)
  headers['content-type'] = odd()
    ? pick(random, ['text/plain', 'text/html', 'application/json; charset=x'])
    : 'application/json'
  return { ...sent, body: isFaulty && random() < 0.1 ? text.slice(0, random() * text.length) : text }
}

const headerValue = (random: Random) =>
  pick(random, [
    '',
    'null',
    '*',
    'bytes=0-',
    'bytes=-1',
    'bytes=9-1',
    'gzip',
    'https://evil.example',
    'a,'.repeat(500),
    '"x"',
    'é',
    '0',
  ])

const CROPS = [
  '0,0,1,1',
  '0.1,0,0.95,1',
  '0,0,0.000000001,1',
  '1,1,0,0',
  '0,0,2,2',
  '-1,0,1,1',
  'NaN',
  ','.repeat(500),
  '',
]

function uploadOf(random: Random): FormData {
  const form = new FormData()
  const bytes = random() < 0.5 ? pictureBytes() : pictureBytes().subarray(0, Math.floor(random() * 2_000))
  form.append(random() < 0.8 ? 'file' : 'x', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png')
  if (random() < 0.5) form.append('crop', pick(random, CROPS))
  return form
}
