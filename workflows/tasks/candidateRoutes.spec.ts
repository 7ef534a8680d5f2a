import { describe, expect, it } from 'vitest'
import { anOrder } from '#backend/tasks/testing/anOrder.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { candidateRoutes, providerOf, routeTaken } from './candidateRoutes.ts'

const providersOf = (...names: string[]) => new Map(names.map((name) => [name, { name } as VideoProvider]))
const orderOf = (...providers: string[]) =>
  anOrder({ routes: providers.map((provider) => ({ provider, model: `${provider} model` })) })

describe('the candidates of a task', () => {
  const order = orderOf('a', 'b', 'c')
  const candidates = (tried: object, ...names: string[]) =>
    candidateRoutes({ order, ...tried }, providersOf(...names)).map(({ provider }) => provider)

  it('are the routes to configured providers, those that postponed it last', () => {
    expect(candidates({}, 'c', 'b', 'a')).toEqual(['a', 'b', 'c'])
    expect(candidates({}, 'b')).toEqual(['b'])
    expect(candidates({ postponedBy: ['c', 'a'] }, 'a', 'b', 'c')).toEqual(['b', 'c', 'a'])
  })

  it('are none that refused it', () => {
    expect(candidates({ refusedBy: ['a', 'c'] }, 'a', 'b', 'c')).toEqual(['b'])
  })

  it('are only the provider that may hold a job of it, or none if that is not configured any more', () => {
    expect(candidates({ boundTo: 'b', postponedBy: ['b'] }, 'a', 'b', 'c')).toEqual(['b'])
    expect(candidates({ boundTo: 'b' }, 'a', 'c')).toEqual([])
  })
})

describe('the provider of a job', () => {
  it('is the one that the task names', () => {
    const providers = providersOf('minimax', 'fal')
    expect(providerOf(providers, 'fal').name).toBe('fal')
    expect(() => providerOf(providers, 'gone')).toThrow('the video provider gone is not configured')
  })

  it('has its own name of the model', () => {
    const order = orderOf('a', 'b')
    expect(routeTaken({ order, provider: 'b' }).model).toBe('b model')
  })
})
