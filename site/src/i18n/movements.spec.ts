import { describe, expect, it } from 'vitest'
import { CAMERA_MOVEMENTS } from '#backend/tasks/contract.ts'
import en from '#content/en/movements.json' with { type: 'json' }
import { type MovementNames, readPrompt, toggleMovement, writePrompt } from './movements.ts'

const names = Object.fromEntries(
  Object.entries(CAMERA_MOVEMENTS).map(([value, { key }]) => [value, en.name[key]]),
) as MovementNames

describe('toggleMovement', () => {
  it('removes the earliest movement when a fourth is added', () => {
    expect(toggleMovement(['左移', '推进', '上摇'], '晃动')).toEqual(['推进', '上摇', '晃动'])
  })

  it('replaces the opposite movement and removes a selected one', () => {
    expect(toggleMovement(['左移', '推进'], '右移')).toEqual(['推进', '右移'])
    expect(toggleMovement(['左移', '推进'], '左移')).toEqual(['推进'])
  })
})

describe('the bracketed list in the prompt', () => {
  it('is appended to the text and replaces an earlier list', () => {
    const once = writePrompt('A ship', ['左移'], names, ', ')
    expect(once).toBe('A ship [Truck left]')
    expect(writePrompt(once, ['推进', '上摇'], names, ', ')).toBe('A ship [Push in, Tilt up]')
    expect(writePrompt(once, [], names, ', ')).toBe('A ship')
  })

  it('is parsed by names and by stored values', () => {
    expect(readPrompt('A ship [truck left, push in] sails', names)).toEqual({
      text: 'A ship sails',
      movements: ['左移', '推进'],
    })
    expect(readPrompt('[左移，推进]', names)).toEqual({ text: '', movements: ['左移', '推进'] })
  })

  it('is parsed in English on a Chinese page', () => {
    const chinese = Object.fromEntries(Object.keys(CAMERA_MOVEMENTS).map((value) => [value, value])) as MovementNames
    expect(readPrompt('船 [Push in]', chinese)).toEqual({ text: '船', movements: ['推进'] })
  })

  it('does not match other brackets', () => {
    expect(readPrompt('A sign [no entry]', names)).toEqual({ text: 'A sign [no entry]', movements: [] })
  })

  it('follows the selection rules when typed by hand', () => {
    const typed = '[Truck left, Truck right, Push in, Tilt up, Shake]'
    expect(readPrompt(typed, names).movements).toEqual(['推进', '上摇', '晃动'])
  })
})
