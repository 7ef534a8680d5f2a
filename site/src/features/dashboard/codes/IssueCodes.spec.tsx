import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { IssuedCodes } from './IssueCodes.tsx'

it('new codes stay until the button says that they are saved', () => {
  const page = renderToStaticMarkup(<IssuedCodes codes={['K7QM-2R4T']} onClose={() => {}} />)
  const [close, saved] = page.match(/<button[^>]*>/g) ?? []
  expect(close).toContain('aria-disabled="true"')
  expect(saved).not.toContain('aria-disabled')
})
