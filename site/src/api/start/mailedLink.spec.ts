import { beforeEach, describe, expect, it, vi } from 'vitest'
import { storageDouble } from '../testing/storageDouble.ts'
import { mailLink } from './mailedLink.ts'
import { readLocalStart, WITH_DRAFT, WITH_PLAN, writeLocalStart } from './startDraft.ts'

const DRAFT = { prompt: 'a heron', camera_movements: ['推进'], plan: 'pro' }

let sent: { draft: object } | undefined
beforeEach(() => {
  sent = undefined
  vi.stubGlobal('localStorage', storageDouble(new Map()))
  vi.stubGlobal('document', { documentElement: { lang: 'en', dataset: {} }, getElementById: () => null })
  vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
    sent = JSON.parse(body as string)
    return Response.json({ message: '' }, { status: 202 })
  })
  writeLocalStart(DRAFT)
})

/** Mails a link from the login page that leads to `next`. */
const mailFor = async (next: string) => {
  vi.stubGlobal('location', { search: next && `?next=${encodeURIComponent(next)}`, hash: '' })
  await mailLink('ada@kinora.test')
}

describe('a link that the login page mails', () => {
  it.each([
    ['', {}],
    ['/profile#subscription', {}],
    [WITH_PLAN, { plan: 'pro' }],
  ])('carries no prompt that waits in the browser, and a plan to its page only (%s)', async (next, carried) => {
    await mailFor(next)
    expect(sent?.draft).toEqual(carried)
    expect(readLocalStart()).toEqual(DRAFT)
  })

  it.each([WITH_DRAFT, `/zh${WITH_DRAFT}`])('carries the prompt that the page was opened for (%s)', async (next) => {
    await mailFor(next)
    expect(sent?.draft).toEqual({ prompt: DRAFT.prompt, camera_movements: DRAFT.camera_movements })
    expect(readLocalStart()).toEqual({ ...DRAFT, mailed: true })
  })
})
