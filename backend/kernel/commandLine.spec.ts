import { describe, expect, it } from 'vitest'
import { flag, parseOptions, text, UsageError } from './commandLine.ts'

const options = { amount: text, keep: flag }

describe('parseOptions', () => {
  it.each([
    [['--amount', '-100', '--keep'], { amount: '-100', keep: true }],
    [['--amount=-100'], { amount: '-100' }],
    [['--amount', '100'], { amount: '100' }],
  ])('reads %j', (args, values) => {
    expect({ ...parseOptions(args, options) }).toEqual(values)
  })

  it.each([[['--other']], [['-1']], [['--amount', '--keep']], [['100']]])('refuses %j', (args) => {
    expect(() => parseOptions(args, options)).toThrow(UsageError)
  })
})
