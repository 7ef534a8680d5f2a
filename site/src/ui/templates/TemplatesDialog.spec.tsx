import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TemplatesDialog } from './TemplatesDialog.tsx'
import { $templates, loadTemplates } from './templates.ts'

afterEach(() => $templates.set(null))

const dialog = () => renderToStaticMarkup(<TemplatesDialog onChoose={() => {}} onClose={() => {}} />)

describe('templates that could not be loaded', () => {
  it('can be loaded again', async () => {
    vi.stubGlobal('fetch', async () => Response.json({ code: 'unavailable' }, { status: 503 }))
    await loadTemplates()
    expect(dialog()).toContain('Try again')
    vi.stubGlobal('fetch', async () => Response.json([]))
    await loadTemplates()
    expect($templates.get()).toEqual([])
    expect(dialog()).not.toContain('Try again')
  })
})
