import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { read } from '../testing/plans.ts'
import { startProgram } from '../testing/program.ts'
import { startTemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { registerUser, type TestUser, visitor } from '../testing/testUser.ts'
import { whileLocked } from '../testing/whileLocked.ts'
import type { Team } from './contract.ts'

it('mails those who were taken out of a team, although Kinora is killed before the mails are queued', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-removal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }))
  const db = await startTemporaryDatabase()
  onTestFinished(() => db.close())
  const start = () =>
    startProgram({
      DATABASE_URL: db.url,
      DATA_DIR: folder,
      PORT: '0',
      PAYMENTS: 'off',
      ENCRYPTION_KEY: 'ab'.repeat(32),
    })
  let program = await start()
  onTestFinished(() => program.kill())
  const { url } = program
  const owner = await registerUser(url)
  const { team } = (await (await owner.call('POST', '/teams', { name: 'Studio' })).json()) as { team: Team }
  const join = async (): Promise<TestUser> => {
    const member = await registerUser(url)
    await owner.call('POST', `/teams/${team.id}/invitations`, { email: member.email, credits_per_month: null })
    const link = /#token=([\w-]+)/
    await eventually(async () => expect((await visitor(url).mails(member.email))[0]?.text).toMatch(link))
    const token = link.exec((await visitor(url).mails(member.email))[0]!.text)![1]
    expect((await member.call('POST', '/teams/invitations/accept', { token })).status).toBe(200)
    return member
  }
  const [removed, left] = [await join(), await join()]
  const teams = async () => (await read<{ teams: Team[] }>(owner, '/teams')).teams

  await whileLocked(db.pool, ['lock table sent_reminder in exclusive mode', []], async () => {
    const remove = (path: string) => owner.call('DELETE', path).catch(() => {})
    const calls = [remove(`/teams/${team.id}/members/${removed.userId}`)]
    await eventually(async () => expect((await teams())[0]?.members).toHaveLength(2))
    calls.push(remove(`/teams/${team.id}`))
    await eventually(async () => expect(await teams()).toEqual([]))
    await program.kill()
    await Promise.all(calls)
  })
  program = await start()
  const subjects = async ({ email }: TestUser) =>
    (await visitor(program.url).mails(email)).map(({ subject }) => subject)
  await eventually(async () => {
    expect(await subjects(removed)).toContain('You are no longer in the team “Studio”')
    expect(await subjects(left)).toContain('The team “Studio” was closed')
  })
  expect(await subjects(removed)).not.toContain('The team “Studio” was closed')
})
