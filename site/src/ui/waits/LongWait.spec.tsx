import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Explanation, LongWait } from './LongWait.tsx'

const render = (nextTry: number | null, onRetry?: () => void) =>
  renderToStaticMarkup(<Explanation text="No answer." nextTry={nextTry} onRetry={onRetry} />)

beforeEach(() => vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a long wait', () => {
  it('has its live region before it has a text', () => {
    expect(renderToStaticMarkup(<LongWait />)).toBe('<p class="sr-only" role="status"></p>')
  })

  it('says when the next try begins, outside a live region', () => {
    const page = render(Date.now() + 3200)
    expect(page).toContain('Next try in 4 seconds.')
    expect(page).not.toMatch(/role="status"|aria-busy/)
  })

  it('is busy while a try is in flight, unless it is the wait for another load', () => {
    expect(render(null)).toMatch(/aria-busy="true".*Try now/)
    expect(render(null)).not.toContain('Next try')
    expect(render(null, () => {})).not.toContain('aria-busy')
  })
})
