import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CatalogueModel, priceOf } from '../contract.ts'
import { type Catalogue, openCatalogue, parseModel } from './catalogue.ts'

const SHIPPED = path.join(import.meta.dirname, '../../../content/models')
const model = (id: string, provider = 'demo', more: object = {}) => ({
  id,
  names: { en: id, zh: id },
  descriptions: { en: 'A model', zh: '一个模型' },
  shapes: [{ taskTypes: ['text_to_video'], resolutions: ['768P'], seconds: { from: 4, to: 6 }, creditsPerSecond: 5 }],
  routes: [{ provider, model: `${provider} ${id}` }],
  ...more,
})

const UNPRICED = { taskTypes: ['text_to_video'], resolutions: ['768P'], seconds: [6] }

let folder: string
let catalogue: Catalogue | undefined
const warn = vi.fn()
const put = (name: string, value: unknown) =>
  writeFile(path.join(folder, `${name}.json`), typeof value === 'string' ? value : JSON.stringify(value))
const open = async (
  providers: Record<
    string,
    { models?: (signal: AbortSignal) => Promise<readonly CatalogueModel[]>; takesSeeds?: boolean }
  >,
  intervalMs = 10,
) => {
  const log = { info: () => {}, warn } as never
  catalogue = await openCatalogue({
    folders: [SHIPPED, folder],
    providers: new Map(Object.entries(providers)),
    log,
    intervalMs,
  })
  return catalogue
}
const ids = () => catalogue!.offered().map(({ id }) => id)
const SPECIFIED = ['MiniMax-Hailuo-02', 'T2V-01-Director', 'I2V-01-Director', 'I2V-01-live']

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'kinora-models-'))
  await mkdir(folder, { recursive: true })
  warn.mockClear()
})
afterEach(async () => {
  await catalogue?.close()
  await rm(folder, { recursive: true })
})

describe('the model catalogue', () => {
  it('offers the models of the specification on the demo renderer', async () => {
    await open({ demo: {} })
    expect(ids()).toEqual(SPECIFIED)
  })

  it('takes a seed for every model where its engines do, whatever the file says', async () => {
    await put(
      'both',
      model('both', 'demo', { routes: ['demo', 'other'].map((provider) => ({ provider, model: 'm' })) }),
    )
    await open({ demo: { takesSeeds: true }, other: {} })
    const taking = catalogue!.offered().map(({ id, seed }) => [id, seed])
    expect(taking).toEqual([...SPECIFIED.map((id) => [id, true]), ['both', false]])
  })

  it('adds the newer models of MiniMax with its key, and prices them by its list', async () => {
    await open({ minimax: {} })
    expect(ids()).toEqual([...SPECIFIED, 'MiniMax-Hailuo-2.3', 'MiniMax-Hailuo-2.3-Fast'])
    const prices = catalogue!
      .offered()
      .slice(4)
      .map(({ shapes }) => shapes.map((shape) => priceOf(shape, 6)))
    expect(prices).toEqual([
      [30, 60, 50],
      [15, 30, 25],
    ])
  })

  it('never offers a model under the name of a provider that is not configured', async () => {
    await open({ 'videos-api': { models: async () => [parseModel(model('Wan', 'videos-api'))] } })
    expect(ids()).toEqual(['Wan'])
  })

  it('is the same list until a file, an engine or a provider changes', async () => {
    const providers = new Map<string, { takesSeeds: boolean }>([['demo', { takesSeeds: false }]])
    const log = { info: () => {}, warn } as never
    catalogue = await openCatalogue({ folders: [folder], providers, log, intervalMs: 60_000 })
    await put(
      'ours',
      model('ours', 'demo', { routes: ['demo', 'late'].map((provider) => ({ provider, model: 'ours' })) }),
    )
    await catalogue.refresh()
    const views = () => catalogue!.offered().map(({ id, routes, seed }) => [id, routes.length, seed])
    expect(views()).toEqual([['ours', 1, false]])
    expect(catalogue.offered()).toBe(catalogue.offered())
    providers.set('late', { takesSeeds: true })
    expect(views()).toEqual([['ours', 2, false]])
    providers.set('demo', { takesSeeds: true })
    expect(views()).toEqual([['ours', 2, true]])
    providers.delete('late')
    expect(views()).toEqual([['ours', 1, true]])
  })

  it('reads added and changed files without a restart, and gives a changed model another version', async () => {
    await open({ demo: {} })
    await put('mine', model('mine'))
    await expect.poll(() => ids()).toContain('mine')
    const before = catalogue!.offered().find(({ id }) => id === 'mine')!.version
    await put('mine', model('mine', 'demo', { sound: true }))
    await expect.poll(() => catalogue!.offered().find(({ id }) => id === 'mine')!.sound).toBe(true)
    expect(catalogue!.offered().find(({ id }) => id === 'mine')!.version).not.toBe(before)
  })

  it('refuses a faulty file with its error and keeps the last valid version', async () => {
    await put('mine', model('mine'))
    await open({ demo: {} })
    await put('mine', model('mine', 'demo', { shapes: [] }))
    await expect.poll(() => [...catalogue!.faults().values()].join()).toMatch(/shapes/)
    expect(ids()).toContain('mine')
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ file: expect.stringContaining('mine') }),
      'faulty file refused',
    )
  })

  it('warns once of a model without a price, which costs the default', async () => {
    await put('free-for-all', model('free-for-all', 'demo', { shapes: [UNPRICED] }))
    await open({ demo: {} })
    await catalogue!.refresh()
    expect(warn.mock.calls).toEqual([
      [{ model: 'free-for-all', credits: 30 }, 'model without a price, using the default'],
    ])
  })

  it('lets a file of the operator replace a shipped one', async () => {
    const shipped = JSON.parse(await readFile(path.join(SHIPPED, 'I2V-01-live.json'), 'utf8'))
    await put('I2V-01-live', { ...shipped, shapes: [{ ...shipped.shapes[0], credits: 45 }] })
    await open({ demo: {} })
    expect(catalogue!.offered().find(({ id }) => id === 'I2V-01-live')!.shapes[0]!.credits).toBe(45)
  })

  it('keeps the routes in their order, without providers that are not configured', async () => {
    const routes = ['b', 'gone', 'a'].map((provider) => ({ provider, model: 'x' }))
    await put('mine', model('mine', 'demo', { routes }))
    await open({ a: {}, b: {} })
    expect(catalogue!.offered()[0]!.routes.map(({ provider }) => provider)).toEqual(['b', 'a'])
  })

  it('keeps the models that an engine reported last while it does not answer', async () => {
    const models = vi.fn(async () => [parseModel(model('Wan', 'engine'))])
    await open({ engine: { models } })
    models.mockRejectedValue(new Error('down'))
    await catalogue!.refresh()
    expect(ids()).toEqual(['Wan'])
  })

  it('asks an engine that does not answer once at a time, and stops asking when it closes', async () => {
    const models = vi.fn(async (_: AbortSignal): Promise<readonly CatalogueModel[]> => [])
    models.mockResolvedValueOnce([]).mockImplementation((signal) => once(signal, 'abort').then(() => []))
    await open({ engine: { models } })
    await expect.poll(() => models).toHaveBeenCalledTimes(2)
    // The interval of files is that of questions.
    for (const id of ['one', 'two', 'three']) {
      await put(id, model(id, 'engine'))
      await expect.poll(ids).toContain(id)
    }
    await catalogue!.close()
    expect(models).toHaveBeenCalledTimes(2)
  })
})

describe('the default price', () => {
  const shape = {
    taskTypes: ['text_to_video'],
    resolutions: ['768P'],
    seconds: [5],
  } as never as CatalogueModel['shapes'][number]
  it.each([
    [{ cents: 28 }, 30],
    [{ cents: 30 }, 30],
    [{ cents: 30.1 }, 35],
    [{ centsPerSecond: 8 }, 40],
    [{ centsPerSecond: 0.1 }, 5],
    [{ creditsPerSecond: 7 }, 35],
    [{ credits: 12, cents: 99 }, 12],
    [{}, 30],
  ])('of %j is %i credits', (price, credits) => {
    expect(priceOf({ ...shape, ...price }, 5)).toBe(credits)
  })
})
