import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { stopwatch } from '#backend/testing/stopwatch.ts'
import { type CuttableProxy, startCuttableProxy } from '../../testing/cuttableProxy.ts'
import { Leases } from './leases.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from './testing/temporaryPostgres.ts'

let postgres: TemporaryPostgres
let connection: pg.ClientConfig
let halt: AbortController
let all: Leases[]
beforeAll(async () => {
  postgres = await startTemporaryPostgres()
  const { socketDir: host, port, user, database } = postgres.server
  connection = { host, port, user, database }
  await postgres.pool.query('create table lease_token (name text primary key, token bigint not null)')
})
afterAll(() => postgres.close())

const done: Promise<void>[] = []
const open = (to: pg.ClientConfig = connection) => {
  const leases = new Leases(to, () => {})
  all.push(leases)
  return leases
}
beforeEach(() => {
  halt = new AbortController()
  all = []
})
afterEach(async () => {
  halt.abort()
  await Promise.all(done.splice(0))
  await Promise.all(all.map((leases) => leases.close()))
})

/** The current workers, and the maximum that ever worked at the same time. */
function workplace() {
  const working: string[] = []
  const seen = { most: 0 }
  const work = (who: string) => async (held: AbortSignal) => {
    working.push(who)
    seen.most = Math.max(seen.most, working.length)
    await new Promise((resolve) => held.addEventListener('abort', resolve, { once: true }))
    working.splice(working.indexOf(who), 1)
  }
  return { working, seen, work }
}

describe('a lease', () => {
  it('is held by one process at a time and passes on when released', async () => {
    const { working, seen, work } = workplace()
    const leaving = new AbortController()
    const onStandby = vi.fn()
    const first = open().run('one', leaving.signal, work('first'))
    await eventually(() => expect(working).toEqual(['first']))
    done.push(open().run('one', halt.signal, work('second'), { onStandby }))
    await eventually(() => expect(onStandby).toHaveBeenCalled())
    leaving.abort()
    await first
    await eventually(() => expect(working).toEqual(['second']))
    expect(seen.most).toBe(1)
  })

  it('gives each holder a higher token than the one before, even if the clock has gone back', async () => {
    const tokens: number[] = []
    for (let holder = 0; holder < 3; holder++) {
      const leaving = new AbortController()
      await open().run('fenced', leaving.signal, async (_, token) => {
        tokens.push(token)
        leaving.abort()
      })
      if (holder === 1) await postgres.pool.query('update lease_token set token = token + 1000000')
    }
    expect(tokens[0]).toBeGreaterThan(Date.now() - 60_000)
    expect(tokens[1]).toBeGreaterThan(tokens[0]!)
    expect(tokens[2]).toBeGreaterThan(tokens[1]! + 1_000_000)
  })

  it('passes on when the connection is lost, and restarts work after an error', async () => {
    const { working, seen, work } = workplace()
    const leases = open()
    let faults = 0
    const frail = (held: AbortSignal) => (faults++ === 0 ? Promise.reject(new Error('stumbled')) : work('frail')(held))
    done.push(leases.run('two', halt.signal, frail))
    await eventually(() => expect(working).toEqual(['frail']))
    expect(leases.held()).toEqual(['two'])
    for (let time = 0; time < 3; time++) {
      await postgres.pool.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = hashtext('two')::oid`,
      )
      await eventually(() => expect(working).toEqual([]))
      await eventually(() => expect(working).toEqual(['frail']))
    }
    expect(seen.most).toBe(1)
  })

  it('is given up by a partitioned holder before another gets it, within ten seconds', async () => {
    const { working, seen, work } = workplace()
    const proxy: CuttableProxy = await startCuttableProxy({
      path: path.join(connection.host!, `.s.PGSQL.${connection.port}`),
    })
    const cut = open({ ...connection, host: '127.0.0.1', port: proxy.port })
    done.push(cut.run('three', halt.signal, work('cut off')))
    await eventually(() => expect(working).toEqual(['cut off']))
    done.push(open().run('three', halt.signal, work('heir')))
    await delay(1_000)
    const took = stopwatch()
    proxy.freeze()
    await eventually(() => expect(working).toEqual(['heir']))
    took.within(10_000)
    expect(seen.most).toBe(1)
    await proxy.close()
  })

  it('is taken from a suspended process within ten seconds', async () => {
    const { working, work } = workplace()
    const program = `
      import { Leases } from './backend/kernel/postgres/leases.ts'
      const leases = new Leases(JSON.parse(process.env.CONNECTION), () => {})
      await leases.run('four', new AbortController().signal, async (held) => {
        console.log('held')
        await new Promise((resolve) => held.addEventListener('abort', resolve, { once: true }))
        console.log('lost')
      })`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: path.resolve(import.meta.dirname, '../../..'),
      env: { PATH: process.env.PATH, CONNECTION: JSON.stringify(connection) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (text) => {
      said += String(text)
    })
    await eventually(() => expect(said).toBe('held\n'))
    done.push(open().run('four', halt.signal, work('heir')))
    const took = stopwatch()
    child.kill('SIGSTOP')
    await eventually(() => expect(working).toEqual(['heir']))
    took.within(10_000)
    child.kill('SIGCONT')
    await eventually(() => expect(said).toBe('held\nlost\n'))
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
})

describe('a lease that is given up while it is requested', () => {
  it('is not worked on if its token arrives afterwards, and no lock is left', async () => {
    const locks = async () =>
      (
        await postgres.pool.query(
          `select from pg_locks where locktype = 'advisory' and granted and objid = hashtext('tokened')::oid`,
        )
      ).rows.length
    const { working, work } = workplace()
    const other = await postgres.connect().connect()
    try {
      await other.query('begin')
      await other.query(`insert into lease_token (name, token) values ('tokened', 1)`)
      const leaving = new AbortController()
      const left = open().run('tokened', leaving.signal, work('late'))
      await eventually(async () => expect(await locks()).toBe(1))
      leaving.abort()
      await delay(200)
      await other.query('rollback')
      await left
    } finally {
      other.release()
    }
    expect([working, await locks()]).toEqual([[], 0])
  })

  it('is held once for two requests of one process', async () => {
    const { working, seen, work } = workplace()
    const leases = open()
    for (const who of ['one', 'two']) done.push(leases.run('twice', halt.signal, work(who)))
    await eventually(() => expect(working).toHaveLength(1))
    await delay(1_200)
    expect(seen.most).toBe(1)
  })
})
