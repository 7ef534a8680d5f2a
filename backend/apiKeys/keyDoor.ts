import { BlockList, isIP } from 'node:net'
import type { Context } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { bearerOf, type KeyCaller } from '../kernel/http/bearer.ts'
import { coarseNetwork } from '../kernel/http/fairness/networkAddress.ts'
import type { Clock } from '../kernel/time.ts'
import type { ApiKeys, KeyRow } from './apiKeys.ts'
import { hashOf, isWellFormed } from './keyText.ts'

/** Time for which a key is not looked up again, ms: a key that another process has ended is refused after this. */
const KEPT_MS = 1_000
/** Time for which calls of a genuine key count as those of the key, and not of its network, ms. */
const GENUINE_MS = 30_000
const TOUCH_EVERY_MS = 60_000
const MAX_KNOWN = 10_000

interface Known {
  readonly row: KeyRow
  readonly seenAt: number
}

const REASONS = {
  mistyped: 'This is not a whole API key: check that nothing is missing or mistyped.',
  unknown: 'This API key does not exist.',
  ended: 'This API key was ended.',
  expired: 'This API key has expired.',
}

const refused = (reason: keyof typeof REASONS) => new Rejection('invalid_api_key', REASONS[reason], { reason })

export type KeyDoor = ReturnType<typeof createKeyDoor>

/**
 * Creates the door for programs: it authenticates `Authorization: Bearer` by API key, and limits nothing itself.
 * A request with this header never uses cookies.
 */
export function createKeyDoor(apiKeys: Pick<ApiKeys, 'find' | 'touch'>, clock: Clock) {
  const known = new Map<string, Known>()

  /** Returns the row of a key, and whether it was looked up. */
  const find = async (key: string): Promise<Readonly<{ row: KeyRow; isFresh: boolean }>> => {
    const hash = nameOf(key)
    const remembered = known.get(hash)
    if (remembered && clock() - remembered.seenAt < KEPT_MS) return { row: remembered.row, isFresh: false }
    known.delete(hash)
    const row = await apiKeys.find(key)
    if (!row) throw refused('unknown')
    known.set(hash, { row, seenAt: clock() })
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value ?? '')
    return { row, isFresh: true }
  }

  return {
    /** Returns the key of a request; undefined without one. @throws Rejection invalid_api_key, key_network */
    async authenticate(ctx: Context): Promise<KeyCaller | undefined> {
      const key = bearerOf(ctx)
      if (key === undefined) return undefined
      if (!isWellFormed(key)) throw refused('mistyped')
      const { row, isFresh } = await find(key)
      if (row.ended_at) throw refused('ended')
      if (row.expires_at && new Date(row.expires_at).getTime() <= clock()) throw refused('expired')
      if (row.networks && !includes(row.networks, ctx.ip))
        throw new Rejection('key_network', 'This API key may not be used from your network.')
      const usedAt = row.last_used_at === null ? 0 : new Date(row.last_used_at).getTime()
      if (isFresh && clock() - usedAt > TOUCH_EVERY_MS) await apiKeys.touch(row.id, coarseNetwork(ctx))
      const {
        id,
        user_id: userId,
        scopes,
        models,
        purse_id,
        credits_per_day: perDay,
        credits_per_month: perMonth,
        team_id: teamId,
      } = row
      const limits = { ...(perDay !== null && { perDay }), ...(perMonth !== null && { perMonth }) }
      return { id, userId, scopes, models, teamId, purse: { id: purse_id, ...limits } }
    },

    /** Returns the id of the key of a request if it was genuine a moment ago. Reads no database. */
    genuine(ctx: Context): string | undefined {
      const key = bearerOf(ctx)
      const found = key === undefined ? undefined : known.get(nameOf(key))
      return found && clock() - found.seenAt < GENUINE_MS ? found.row.id : undefined
    },

    /** Looks up every key again, because this process has ended one. */
    forget: () => known.clear(),
  }
}

/** Names a key in memory, which holds no key. */
const nameOf = (key: string) => hashOf(key).toString('base64')

function includes(networks: readonly string[], ip: string): boolean {
  const list = new BlockList()
  const typeOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, typeOf(address))
    else list.addSubnet(address, Number(bits), typeOf(address))
  }
  const plain = ip.replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(plain) > 0 && list.check(plain, typeOf(plain))
}
