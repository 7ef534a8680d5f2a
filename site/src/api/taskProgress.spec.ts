import { describe, expect, it } from 'vitest'
import type { TaskStatus } from '#backend/tasks/contract.ts'
import { isInProgress, isWaiting, percentOf, readStatus, stepsOf } from './taskProgress.ts'

const at = (status: TaskStatus, progress: number | null = null) => ({ status, progress })

describe('the task progress', () => {
  it('never decreases', () => {
    const way = [
      at('Preparing'),
      at('Queueing'),
      at('Processing', 0),
      at('Processing', 50),
      at('Processing', 100),
      at('DOWNLOADING'),
      at('Success'),
    ]
    const percents = way.map(percentOf)
    expect(percents).toEqual([...percents].sort((a, b) => a - b))
    expect(percents.at(-1)).toBe(100)
  })

  it('limits invalid numbers to the range', () => {
    expect(percentOf(at('Processing', 400))).toBe(94)
    expect(percentOf(at('Processing', -5))).toBe(10)
  })

  it('marks steps as done, active or ahead', () => {
    expect(stepsOf(at('Processing', 40)).map(({ state, part }) => [state, part])).toEqual([
      ['done', 1],
      ['done', 1],
      ['active', 0.4],
      ['ahead', 0],
    ])
  })
})

describe('a task status', () => {
  it('is parsed in any case', () => {
    expect(['success', 'FAILED', 'downloading', 'odd'].map(readStatus)).toEqual([
      'Success',
      'Fail',
      'DOWNLOADING',
      undefined,
    ])
  })

  it('counts as in progress until the file is prepared', () => {
    expect([at('Queueing'), at('Processing'), at('DOWNLOADING'), at('Success')].map(isInProgress)).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect([at('Preparing'), at('Processing')].map(isWaiting)).toEqual([true, false])
  })
})
