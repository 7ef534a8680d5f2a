import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Share, Task } from '#backend/tasks/contract.ts'
import type { TestUser } from '#backend/testing/testUser.ts'

export const PROMPT = 'A sailboat on a calm sea at sunset'
const ORDER = {
  ...{ task_type: 'text_to_video', model: 'MiniMax-Hailuo-02', prompt: PROMPT, duration: 6, resolution: '768P' },
  camera_movements: ['推进'],
}

/** Generates a video and waits for it. */
export async function makeFilm(user: TestUser): Promise<Task> {
  const made = (await (await user.call('POST', '/videos/generate', ORDER)).json()) as { task: Task }
  for (let { task } = made; ; await setTimeout(250)) {
    task = (await (await user.call('GET', `/videos/tasks/${task.id}`)).json()) as Task
    expect(task.status).not.toBe('Fail')
    if (task.status === 'Success') return task
  }
}

/** Shares a film with its prompt and the name of its owner. */
export async function shareFilm(user: TestUser, { id }: Task): Promise<Share> {
  const shown = { show_prompt: true, show_name: true }
  return (await (await user.call('POST', `/videos/tasks/${id}/share`, shown)).json()) as Share
}
