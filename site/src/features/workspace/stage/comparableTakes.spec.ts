import { describe, expect, it } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { comparableTakes } from './comparableTakes.ts'

const take = (id: string, over: Partial<Task> = {}) =>
  ({ id, prompt: 'A ship', status: 'Success', video_url: `/${id}`, first_frame_image_url: null, ...over }) as Task
const compared = (takes: readonly Task[], at = 0) => comparableTakes(takes, takes[at]!).map(({ id }) => id)

describe('the takes to compare', () => {
  it('are finished and have the same prompt and first frame', () => {
    const others = [
      take('other', { prompt: 'A cat' }),
      take('framed', { first_frame_image_url: '/f' }),
      take('open', { status: 'Processing', video_url: null }),
    ]
    expect(compared([take('a'), ...others, take('b')])).toEqual(['a', 'b'])
    expect(compared([take('a'), ...others])).toEqual([])
    expect(compared([take('a', { status: 'Fail', video_url: null }), take('b')])).toEqual([])
  })

  it('are at most four, among them the current one', () => {
    const takes = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => take(id))
    expect(compared(takes)).toEqual(['a', 'b', 'c', 'd'])
    expect(compared(takes, 5)).toEqual(['a', 'b', 'c', 'f'])
  })
})
