import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Task } from '#backend/tasks/contract.ts'
import { type Program, startProgram } from '#backend/testing/program.ts'
import { GENERATION, type MailReader, registerUser, type TestUser } from '#backend/testing/testUser.ts'

const ENTRY = path.resolve(import.meta.dirname, '../../backend/testing/smallVideosProgram.ts')

/** Starts Kinora with a renderer of small videos. `await using` stops it. */
export async function startKinora(env: Readonly<Record<string, string>>): Promise<Program & AsyncDisposable> {
  const program = await startProgram({ PORT: '0', ...env }, ENTRY)
  return { ...program, [Symbol.asyncDispose]: async () => void (await program.stop()) }
}

/** A user's film. */
export interface Film {
  readonly user: TestUser
  readonly id: string
}

/** Registers a user, makes a film and reads a range of it. @param mails default: those of the development mailbox */
export async function walkJourney({ url }: Pick<Program, 'url'>, mails?: MailReader): Promise<Film> {
  const user = await registerUser(url, undefined, mails)
  const started = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
  for (let { task } = started; ; await delay(200)) {
    task = (await (await user.call('GET', `/videos/tasks/${task.id}`)).json()) as Task
    assert.notEqual(task.status, 'Fail', task.error_message ?? undefined)
    if (task.status !== 'Success') continue
    await readRange(user, task.id)
    return { user, id: task.id }
  }
}

/** Reads the beginning of a film, as a player does. */
export async function readRange(user: TestUser, id: string): Promise<void> {
  const answer = await user.call('GET', `/videos/preview/${id}`, undefined, { range: 'bytes=4-7' })
  assert.deepEqual([answer.status, await answer.text()], [206, 'ftyp'], 'a range of the film')
}
