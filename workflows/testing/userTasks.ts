import { expect } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { GENERATION, type TestUser } from '#backend/testing/testUser.ts'

/** Submits a task and expects it to be accepted. */
export const generate = async (user: TestUser, headers: Record<string, string> = {}): Promise<Task> => {
  const answer = await user.call('POST', '/videos/generate', GENERATION, headers)
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { task: Task }).task
}
export const taskOf = async (user: TestUser, id: string) =>
  (await (await user.call('GET', `/videos/tasks/${id}`)).json()) as Task
/** Waits up to 30 seconds until the task matches `expected`. */
export const reaches = (user: TestUser, id: string, expected: Partial<Task>) =>
  eventually(async () => expect(await taskOf(user, id)).toMatchObject(expected))
export const remaining = async (user: TestUser) =>
  ((await (await user.call('GET', '/subscriptions/stats')).json()) as { remaining_credits: number }).remaining_credits
export const refunded = (user: TestUser) => eventually(async () => expect(await remaining(user)).toBe(60))
