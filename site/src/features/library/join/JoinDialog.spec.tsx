import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { JoinDialog } from './JoinDialog.tsx'
import { $clips, editClips } from './joins.ts'

const CLIP = { id: 'clip', task_type: 'text_to_video', prompt: 'A fox', video_url: '/clip', duration: 6 } as Task
const part = { id: 'clip', how: 'join', start: 0, end: 3 } as const
const JOINED = {
  id: 'joined',
  task_type: 'join',
  prompt: 'Sea and sky',
  made_from: [part, part, part],
} as Partial<Task>

async function edited(film: Partial<Task>): Promise<string> {
  vi.stubGlobal('fetch', async () => Response.json(CLIP))
  await editClips([film as Task])
  return renderToStaticMarkup(<JoinDialog clips={$clips.get()!} onClips={() => {}} onClose={() => {}} />)
}

afterEach(() => $clips.set(null))

describe('the editor of a joined film', () => {
  it('begins with its title and its cross-fade, which its length tells', async () => {
    const page = await edited({ ...JOINED, video_duration: 8.04 })
    expect(page).toContain('value="Sea and sky"')
    expect(page).toContain('<option value="0.5" selected="">')
  })

  it('begins without a cross-fade if the film has no length yet', async () => {
    const page = await edited({ ...JOINED, video_duration: null })
    expect(page).toContain('value="Sea and sky"')
    expect(page).toContain('<option value="0" selected="">')
  })

  it('begins without a title for other films', async () => {
    await edited(JOINED)
    expect(await edited(CLIP)).toContain('value=""')
  })
})
