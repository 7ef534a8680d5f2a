import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { runAdjust } from './adjust.ts'
import { runAudit } from './audit.ts'
import { connectInstallation } from './ledger/connectInstallation.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  mkdirSync(path.join(kinora.dataDir, 'operator-keys'), { recursive: true })
  writeFileSync(path.join(kinora.dataDir, 'operator-keys/olga.pem'), key, { mode: 0o600 })
})
afterAll(() => kinora?.close())

async function adjust(...args: string[]) {
  const lines: string[] = []
  const code = await runAdjust(args, { DATA_DIR: kinora.dataDir }, (text) => lines.push(text))
  return { code, text: lines.join('\n') }
}

describe('npm run adjust', () => {
  it('grants and withdraws credits while Kinora runs, once per id, and records operator and reason', async () => {
    const user = await kinora.newUser()
    const by = ['--user', user.email, '--operator', 'olga', '--reason', 'a slow week']
    expect((await adjust(...by, '--amount', '40', '--id', 'a')).code).toBe(0)
    expect((await adjust(...by, '--amount', '40', '--id', 'a')).code).toBe(0)
    expect((await adjust(...by, '--amount=-10', '--id', 'b')).code).toBe(0)
    const history = async () =>
      (await (await user.call('GET', '/credits/history')).json()) as { entries: object[]; total: number }
    await eventually(async () => expect((await history()).total).toBe(3))
    expect((await history()).entries).toEqual([
      expect.objectContaining({ kind: 'adjustment', amount: -10, balance_after: 90, reason: 'a slow week' }),
      expect.objectContaining({ kind: 'adjustment', amount: 40, balance_after: 100, reason: 'a slow week' }),
      expect.objectContaining({ kind: 'grant', amount: 60, balance_after: 60 }),
    ])
    const { rows } = await kinora.context.pool.query(
      `select distinct meta->>'actor' as actor from event where stream = $1 and type in ('CreditsWithdrawn', 'CreditLotGranted')
       order by actor`,
      [`creditAccount-${user.userId}`],
    )
    expect(rows).toEqual([{ actor: 'operator:olga' }, { actor: 'system' }])
    const noted = await kinora.context.pool.query('select detail from operator_action order by id desc limit 1')
    expect(noted.rows[0]?.detail).toBe(`-10 credits, user ${user.userId}, adjustment b, by olga: a slow week`)
  })

  it('signs with the key of a registered operator, by default the one of the environment, which audit verify checks', async () => {
    const user = await kinora.newUser()
    const by = ['--user', user.email, '--reason', 'a slow week']
    expect(await adjust(...by, '--amount', '5')).toMatchObject({ code: 0 })
    expect(statSync(path.join(kinora.dataDir, 'operator-keys/operator.pem')).mode & 0o777).toBe(0o600)
    let printed = ''
    const print = (text: string) => (printed += text)
    const code = await runAudit(['verify'], { env: { DATA_DIR: kinora.dataDir }, print, printError: print })
    expect(code, printed).toBe(0)
    expect(printed).toMatch(/[34] adjustments are signed by registered operators/)
    const stranger = await adjust(...by, '--amount', '5', '--operator', 'eve')
    expect(stranger).toMatchObject({
      code: 2,
      text: expect.stringContaining('eve has no key. To register this operator'),
    })
  })

  it('signs with a key that a process with another DATA_DIR does not take for a forged one', async () => {
    const server = await startTestKinora()
    onTestFinished(() => server.close())
    const { place, stop } = await connectInstallation({ DATA_DIR: server.dataDir })
    onTestFinished(stop)
    const { host, user, database } = place.postgres
    const DATABASE_URL = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host!)}`
    const DATA_DIR = path.join(server.dataDir, 'elsewhere')
    const { email } = await server.newUser()
    const args = ['--user', email, '--reason', 'a slow week', '--amount', '5']
    expect(await runAdjust(args, { DATA_DIR, DATABASE_URL }, () => {})).toBe(0)
    let printed = ''
    const print = (text: string) => (printed += text)
    await runAudit(['verify', '--json'], { env: { DATA_DIR: server.dataDir }, print, printError: print })
    expect(JSON.parse(printed)).toMatchObject({ deviations: [], adjustments: { verified: 0, unverified: 1 } })
  })

  it('refuses to take more credits than are left', async () => {
    const user = await kinora.newUser()
    const by = ['--user', user.userId, '--operator', 'olga', '--reason', 'a mistake']
    expect(await adjust(...by, '--amount=-61')).toEqual({
      code: 1,
      text: expect.stringMatching(/\nThis takes 61 credits; 60 are left\.$/),
    })
  })

  it('refuses an id that was used for another amount', async () => {
    const user = await kinora.newUser()
    const by = ['--user', user.userId, '--operator', 'olga', '--reason', 'a slow week']
    expect((await adjust(...by, '--amount', '40', '--id', 'granted')).code).toBe(0)
    expect((await adjust(...by, '--amount=-10', '--id', 'taken')).code).toBe(0)
    for (const [id, booked, amount] of [
      ['granted', 40, 50],
      ['granted', 40, -40],
      ['taken', -10, 10],
      ['taken', -10, -20],
    ] as const)
      expect(await adjust(...by, `--amount=${amount}`, '--id', id)).toEqual({
        code: 2,
        text: expect.stringContaining(`--id: the adjustment ${id} was made with ${booked} credits`),
      })
  })

  it.each([
    [['--amount', '5', '--reason', 'x', '--operator', 'olga'], '--user is missing'],
    [['--user', 'ada@kinora.test', '--amount', '1.5', '--reason', 'x', '--operator', 'olga'], '--amount must be'],
    [['--user', 'ada@kinora.test', '--amount', '0x10', '--reason', 'x', '--operator', 'olga'], '--amount must be'],
    [['--user', 'ada@kinora.test', '--amount', '5', '--reason', 'x', '--operator', 'a b'], '--operator must be'],
    [['--user', 'nobody@kinora.test', '--amount', '5', '--reason', 'x', '--operator', 'olga'], '--user: no user with'],
    [['--whom', 'x'], "Unknown option '--whom'"],
  ])('names the wrong argument: %j', async (args, fault) => {
    const { code, text } = await adjust(...args)
    expect({ code, text }).toEqual({ code: 2, text: expect.stringContaining(fault) })
    expect(text).toContain('npm run adjust --')
  })

  it('prints the id first, with which an interrupted adjustment is repeated', async () => {
    const user = await kinora.newUser()
    const made = ['--user', user.email, '--reason', 'a slow week', '--amount', '7']
    const stopped: string[] = []
    const stop = (line: string) => {
      stopped.push(line)
      if (stopped.length > 1) throw new Error('interrupted')
    }
    await expect(runAdjust(made, { DATA_DIR: kinora.dataDir }, stop)).rejects.toThrow('interrupted')
    const id = /^Adjustment (\S+)\. /.exec(stopped[0]!)?.[1]
    expect(await adjust(...made, '--id', id!)).toMatchObject({ code: 0 })
    await eventually(async () => {
      const { entries } = await (await user.call('GET', '/credits/history')).json()
      expect(entries.filter(({ kind }: { kind: string }) => kind === 'adjustment')).toMatchObject([{ amount: 7 }])
    })
  })
})
