import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { codeText } from '../../../api/errorText.ts'
import { $references, restoreFrames } from './frames.ts'
import { ReferencesField } from './ReferencesField.tsx'

afterEach(() => $references.set([]))

describe('a reference image', () => {
  it('is not called a failed upload while it loads', () => {
    vi.stubGlobal(
      'Image',
      class {
        decode = () => new Promise(() => {})
      },
    )
    restoreFrames({ first: null, last: null, references: ['/media/reference.jpg'] })
    const page = renderToStaticMarkup(<ReferencesField max={3} />)
    expect(page).toContain('data-state="none"')
    expect(page).not.toContain(codeText('upload_failed'))
  })
})
