import { beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { $folders, $marks, loadMarks, setMarks } from './marks.ts'
import { deleteFilms } from './selection.ts'

type Answer = (response: Response) => void

/** A server whose answers the test gives, in its own order. */
function heldServer() {
  const answers: Answer[] = []
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => answers.push(resolve)))
  return answers
}
const accepted = () => new Response(null, { status: 204 })
const refused = () => Response.json({ code: 'internal' }, { status: 500 })
const favourites = () => [...$marks.get().values()].filter(({ favourite }) => favourite).map(({ id }) => id)

beforeEach(async () => {
  vi.stubGlobal('fetch', async () => Response.json({ marks: [] }))
  await loadMarks()
})

describe('a mark that the server refuses', () => {
  it('takes back only itself', async () => {
    const answers = heldServer()
    const marked = [setMarks(['a'], { favourite: true }), setMarks(['b'], { favourite: true })]
    answers[1]!(accepted())
    answers[0]!(refused())
    expect(await Promise.all(marked)).toEqual([false, true])
    expect(favourites()).toEqual(['b'])
  })

  it('leaves a later mark of the same video', async () => {
    const answers = heldServer()
    const marked = [setMarks(['a'], { favourite: true }), setMarks(['a'], { folder: 'Best' })]
    answers[0]!(refused())
    answers[1]!(accepted())
    await Promise.all(marked)
    expect($marks.get().get('a')).toEqual({ id: 'a', favourite: false, folder: 'Best' })
  })
})

describe('marks of the same video', () => {
  it('are sent one after the other', async () => {
    const answers = heldServer()
    const marked = [setMarks(['a', 'b'], { favourite: true }), setMarks(['a'], { favourite: false })]
    await eventually(() => expect(answers).toHaveLength(1))
    expect(favourites()).toEqual(['b'])
    answers[0]!(accepted())
    await eventually(() => expect(answers).toHaveLength(2))
    answers[1]!(accepted())
    expect(await Promise.all(marked)).toEqual([true, true])
    expect(favourites()).toEqual(['b'])
  })
})

describe('the marks that the page loads', () => {
  it('do not undo a mark that was made while they loaded', async () => {
    const answers = heldServer()
    const loading = loadMarks()
    const marked = setMarks(['a'], { favourite: true })
    answers[1]!(accepted())
    await marked
    answers[0]!(Response.json({ marks: [{ id: 'b', favourite: true, folder: null }] }))
    await loading
    expect(favourites().sort()).toEqual(['a', 'b'])
  })
})

describe('the folders', () => {
  it('no longer count videos that were deleted', async () => {
    const mark = (id: string) => ({ id, favourite: false, folder: 'Best' })
    vi.stubGlobal('fetch', async () => Response.json({ marks: [mark('a'), mark('b')] }))
    await loadMarks()
    vi.stubGlobal('fetch', async () => Response.json({ deleted: ['a'], failed: [] }))
    await deleteFilms(['a'])
    expect($folders.get()).toEqual([['Best', 1]])
  })
})
