import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import { understand } from '#renderer/reading/understand.ts'
import { partsOf, textOf } from './templates.contract.ts'
import { parseTemplate } from './templates.ts'

const TEMPLATE = {
  title: { en: 'Own', zh: '自有' },
  prompt: { en: '[pet: A parrot] flies', zh: '[宠物: 一只鹦鹉]在飞' },
}

describe('templates', () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-templates-'))
  let kinora: TestKinora
  beforeAll(async () => {
    kinora = await startTestKinora({ env: { DATA_DIR: dataDir } })
  })
  afterAll(() => kinora?.stop())
  const list = async () =>
    (await (await fetch(`${kinora.api}/videos/templates`)).json()) as { id: string; clip: string | null }[]

  it('lists 24 to visitors, each with a clip, and adds those of the folder without a restart', async () => {
    const shipped = await list()
    expect(shipped).toHaveLength(24)
    expect(shipped.every(({ id, clip }) => clip === `/templates/${id}.mp4`)).toBe(true)
    mkdirSync(path.join(dataDir, 'templates'))
    writeFileSync(path.join(dataDir, 'templates/own.mp4'), 'film')
    writeFileSync(path.join(dataDir, 'templates/own.json'), JSON.stringify(TEMPLATE))
    await eventually(async () => expect(await list()).toHaveLength(25))
    const own = (await list()).at(-1)!
    expect(own).toMatchObject({ id: 'own', clip: '/api/v1/videos/templates/own/clip', ...TEMPLATE })
    const clip = await fetch(new URL(own.clip!, kinora.api))
    expect([clip.headers.get('content-type'), await clip.text()]).toEqual(['video/mp4', 'film'])
    for (const id of ['fox', '..%2Fown', 'none'])
      expect((await fetch(`${kinora.api}/videos/templates/${id}/clip`)).status).toBe(404)
  })

  it.each(['en', 'zh'] as const)('ships prompts of which the demo draws every word, in %s', async (language) => {
    const answer = await fetch(`${kinora.api}/videos/templates`)
    const templates = (await answer.json()) as { prompt: Record<'en' | 'zh', string> }[]
    const missing = templates.flatMap(({ prompt }) => understand(textOf(partsOf(prompt[language])), language).missing)
    expect(missing).toEqual([])
  })

  it('refuses a file without a slot or with three, in either language', () => {
    for (const zh of ['一只鹦鹉', '[一: 甲][二: 乙][三: 丙]'])
      expect(() => parseTemplate({ ...TEMPLATE, prompt: { ...TEMPLATE.prompt, zh } })).toThrow('one or two')
    expect(() => parseTemplate({ title: TEMPLATE.title })).toThrow('prompt')
  })
})
