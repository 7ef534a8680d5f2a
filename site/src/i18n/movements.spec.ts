import { describe, expect, it } from 'vitest'
import { CAMERA_MOVEMENTS } from '#backend/tasks/contract.ts'
import en from '#content/en/movements.json' with { type: 'json' }
import { type MovementNames, readPrompt, toggleMovement, writePrompt } from './movements.ts'

const names = Object.fromEntries(
  Object.entries(CAMERA_MOVEMENTS).map(([value, { key }]) => [value, en.name[key]]),
) as MovementNames

describe('toggleMovement', () => {
  it('drops the earliest when a fourth is chosen', () => {
    expect(toggleMovement(['左移', '推进', '上摇'], '晃动')).toEqual(['推进', '上摇', '晃动'])
  })

  it('replaces the opposite and takes a chosen one out', () => {
    expect(toggleMovement(['左移', '推进'], '右移')).toEqual(['推进', '右移'])
    expect(toggleMovement(['左移', '推进'], '左移')).toEqual(['推进'])
  })
})

describe('the bracketed list', () => {
  it('is written behind the text, in place of an earlier one', () => {
    const once = writePrompt('A ship', ['左移'], names, ', ')
    expect(once).toBe('A ship [Truck left]')
    expect(writePrompt(once, ['推进', '上摇'], names, ', ')).toBe('A ship [Push in, Tilt up]')
    expect(writePrompt(once, [], names, ', ')).toBe('A ship')
  })

  it('is read back, by its stored values too', () => {
    expect(readPrompt('A ship [truck left, push in] sails', names)).toEqual({
      text: 'A ship sails',
      movements: ['左移', '推进'],
    })
    expect(readPrompt('[左移，推进]', names)).toEqual({ text: '', movements: ['左移', '推进'] })
  })

  it('leaves other brackets alone', () => {
    expect(readPrompt('A sign [no entry]', names)).toEqual({ text: 'A sign [no entry]', movements: [] })
  })

  it('holds to the rules however it was typed', () => {
    const typed = '[Truck left, Truck right, Push in, Tilt up, Shake]'
    expect(readPrompt(typed, names).movements).toEqual(['推进', '上摇', '晃动'])
  })
})
