import { describe, expect, it } from 'vitest'
import { flag, parseOptions, readAddress, runProgram, text, UsageError } from './commandLine.ts'

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

describe('runProgram', () => {
  it.each<[string, string[], unknown]>([
    ['prints its usage for --help', ['--amount', '1', '--help'], { code: 0, printed: ['how'], errors: [] }],
    ['prints its usage for -h', ['-h'], { code: 0, printed: ['how'], errors: [] }],
    ['adds it to the mistake', ['a', 'b'], { code: 2, printed: [], errors: ['One e-mail address is needed\n\nhow'] }],
    ['runs', ['ada@kinora.test'], { code: 0, printed: ['ada@kinora.test'], errors: [] }],
  ])('%s', async (_, args, outcome) => {
    const [printed, errors]: string[][] = [[], []]
    const program = {
      usage: 'how',
      expected: [],
      print: (line: string) => void printed!.push(line),
      printError: (line: string) => void errors!.push(line),
    }
    const work = async () => {
      program.print(readAddress(args))
      return 0
    }
    expect({ code: await runProgram(program, work), printed, errors }).toEqual(outcome)
  })

  it.each([
    ['ENOSPC: no space left on device, write', 'A disk is full (ENOSPC: no space left on device, write).'],
    ['initdb failed: creating\nfile "pg_wal": No space left on device\nremoving', 'A disk is full (file "pg_wal": No '],
  ])('names a full disk in one sentence: %j', async (message, sentence) => {
    const errors: string[] = []
    const program = { usage: 'how', expected: [], print: (line: string) => void errors.push(line) }
    expect(await runProgram(program, () => Promise.reject(new Error(message)))).toBe(1)
    expect(errors).toEqual([expect.stringContaining(sentence)])
  })

  it('throws other errors', async () => {
    const program = { usage: 'how', expected: [], print: () => {} }
    await expect(runProgram(program, () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
  })
})
