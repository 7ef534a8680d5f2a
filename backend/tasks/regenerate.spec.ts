import { expect, it } from 'vitest'
import type { Generation } from './contract.ts'
import { createTasks, type TaskDeps } from './tasks.ts'

const ORDERED = 'ordered'
const REFUSED = 'source_task_id: unknown_source'

/** A film that a member has made and the team has paid for. */
const film = {
  status: 'succeeded',
  order: {
    userId: 'maker',
    payerId: 'owner',
    teamId: 'team',
    shownTo: 'team',
    model: 'MiniMax-H3',
    taskType: 'text_to_video',
    resolution: '768P',
    duration: 4,
  },
  job: { provider: 'minimax-v2', jobId: 'job' },
}
const again: Generation = {
  task_type: 'text_to_video',
  model: 'MiniMax-H3',
  resolution: '2K',
  duration: 4,
  prompt: 'A cat',
  camera_movements: [],
  prompt_optimizer: true,
  source_task_id: 'film',
}

/** Orders the film again in 2K. `roster`: whether the user and its maker are in the team. */
function order(userId: string, roster: { of_user: boolean; of_maker: boolean; seen: boolean }) {
  const deps = {
    handle: { read: async () => ({ state: film }) },
    database: { em: { fork: () => ({ execute: async () => [roster] }) } },
    assertMayMake: async () => {},
    // Asked for once the source of an order is known.
    allowance: async () => {
      throw new Error(ORDERED)
    },
  }
  const command = () => ({ commandId: 'command', actor: 'user', correlationId: 'request' })
  return createTasks(deps as unknown as TaskDeps).generate({ userId, key: undefined, generation: again, command })
}

it('makes a film of a team again for its maker while a member, and afterwards for who paid', async () => {
  const inTeam = { of_user: true, of_maker: true, seen: true }
  await expect(order('maker', inTeam)).rejects.toThrow(ORDERED)
  await expect(order('owner', inTeam)).rejects.toThrow(REFUSED)
  await expect(order('maker', { of_user: false, of_maker: false, seen: false })).rejects.toThrow(REFUSED)
  await expect(order('owner', { of_user: true, of_maker: false, seen: true })).rejects.toThrow(ORDERED)
})

it('makes a film of a team again for no other member', async () => {
  await expect(order('other', { of_user: true, of_maker: true, seen: true })).rejects.toThrow(REFUSED)
})
