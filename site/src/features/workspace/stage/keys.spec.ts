import { describe, expect, it, vi } from 'vitest'
import { handleKey } from './keys.ts'

/** A page without an open dialog, whose form counts its submissions. */
function press(event: Partial<KeyboardEvent>) {
  const requestSubmit = vi.fn()
  vi.stubGlobal('Element', class {})
  vi.stubGlobal('document', {
    querySelector: (selector: string) => (selector === 'form.generation' ? { requestSubmit } : null),
  })
  const preventDefault = vi.fn()
  const onHelp = vi.fn()
  handleKey({ target: null, preventDefault, ...event } as unknown as KeyboardEvent, { onView: () => {}, onHelp })
  return { requestSubmit, preventDefault, onHelp }
}

describe('a shortcut', () => {
  it('orders a video once, however long it is held', () => {
    expect(press({ key: 'Enter', ctrlKey: true }).requestSubmit).toHaveBeenCalledOnce()
    const held = press({ key: 'Enter', ctrlKey: true, repeat: true })
    expect(held.requestSubmit).not.toHaveBeenCalled()
    expect(held.preventDefault).toHaveBeenCalledOnce()
  })

  it.each([{ isComposing: true }, { keyCode: 229 }])('is not a key of an input method (%o)', (composing) => {
    expect(press({ key: 'Enter', ctrlKey: true, ...composing }).requestSubmit).not.toHaveBeenCalled()
    expect(press({ key: '?', ...composing }).onHelp).not.toHaveBeenCalled()
  })

  it('of a single key acts once, however long it is held', () => {
    expect(press({ key: '?' }).onHelp).toHaveBeenCalledOnce()
    expect(press({ key: '?', repeat: true }).onHelp).not.toHaveBeenCalled()
  })
})
