import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { RecoveryCodes } from './factors/RecoveryCodes.tsx'

it('recovery codes stay until the button says that they are saved', () => {
  const page = renderToStaticMarkup(<RecoveryCodes codes={['abcd-efgh']} onClose={() => {}} />)
  const [close, saved] = page.match(/<button[^>]*>/g) ?? []
  expect(close).toContain('aria-disabled="true"')
  expect(saved).not.toContain('aria-disabled')
})
